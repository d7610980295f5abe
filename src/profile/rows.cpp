#include "profile/rows.hpp"

#include <algorithm>
#include <climits>
#include <tuple>

#include "ops.hpp"
#include "profile/processors.hpp"
#include "profile/schema.hpp"
#include "waits/waits_for.hpp"

namespace commprof {

namespace {

// The largest number of bytes that one byte of text becomes in a field.
constexpr std::size_t longest_field = 4;

// A region's name is too long for a thread's stack; one profile is written at a time, so this buffer is static.
char path_room[Regions::max_path];

}  // namespace

MergedRecords::MergedRecords(PageVector<Record> const& further) {
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next())
    shard->for_each([&](Record const& record) { collect(record); });
  for (Record const& record : further) collect(record);
  merge();
}

MergedRecords::MergedRecords(std::span<Record const> records) {
  for (Record const& record : records) collect(record);
  merge();
}

void MergedRecords::collect(Record const& record) {
  if (record.calls != 0 && !records_.push_back(record)) lost_calls_ += record.calls;
}

void MergedRecords::merge() {
  std::sort(records_.begin(), records_.end(), [](Record const& a, Record const& b) { return a.key < b.key; });
  Record* const merged = records_.begin();
  for (Record const& record : records_) {
    if (size_ > 0 && merged[size_ - 1].key == record.key) merged[size_ - 1].merge(record);
    else merged[size_++] = record;
  }
}

Ticks MergedRecords::total_time() const {
  Ticks sum;
  for (Record const& record : *this) sum += record.time;
  return sum;
}

std::uint64_t write_operation_rows(RowContext const& context, TextWriter& out) {
  char name_room[Registry::max_name];
  std::string_view name;
  CommIndex named = CommIndex::unknown;
  std::int32_t size = 0;
  std::string_view path = context.regions.path(RegionIndex::main, path_room);
  RegionIndex region = RegionIndex::main;
  char site_room[Sites::max_name];
  std::uint64_t rows = 0;
  for (Record const& record : context.records) {
    ScopeIndex const scope = record.key.scope();
    if (context.sites.region(scope) != region) {
      region = context.sites.region(scope);
      path = context.regions.path(region, path_room);
    }
    CommIndex const comm = record.key.comm();
    if (comm != named) {
      name = context.registry.name(comm, name_room);
      size = context.registry.describe(comm).total_size;
      named = comm;
    }
    SizeBin const bin = record.key.bin();
    out.field(path).raw(",").raw(name).raw(",");
    out.number(std::int64_t{size}).raw(",").number(std::int64_t{context.facts.rank}).raw(",");
    out.raw(op_name(record.key.op())).raw(",").number(smallest_of(bin)).raw(",").number(largest_of(bin)).raw(",");
    out.number(record.calls).raw(",").number(record.bytes.sent).raw(",").number(record.bytes.received).raw(",");
    out.seconds(context.rate.to_ns(record.time)).raw(",").seconds(context.rate.to_ns(record.shortest)).raw(",");
    out.seconds(context.rate.to_ns(record.longest)).raw(",");
    out.field(context.sites.name(context.sites.site(scope), site_room)).raw("\n");
    ++rows;
  }
  return rows;
}

namespace {

void write_processor_use(ProcessorUse const& use, TextWriter& out) {
  out.seconds(use.cpu_ns).raw(",");
  if (use.queued_ns) out.seconds(*use.queued_ns);
  out.raw(",").number(use.voluntary_switches).raw(",").number(use.involuntary_switches);
  out.raw(",").number(use.minor_faults).raw(",").number(use.major_faults);
}

}  // namespace

std::uint64_t write_rank_row(RowContext const& context, TextWriter& out) {
  Processors const processors = parse_processors(context.processors);
  out.number(std::int64_t{context.facts.rank}).raw(",").field(context.facts.host).raw(",");
  out.number(std::int64_t{context.facts.pid}).raw(",").field(processors.cpus).raw(",");
  out.number(context.threads).raw(",").seconds(context.rate.to_ns(context.wall)).raw(",");
  out.seconds(context.rate.to_ns(context.records.total_time())).raw(",");
  if (context.processor_use) write_processor_use(*context.processor_use, out);
  else out.raw(",,,,,");
  std::uint64_t receiving_ns = 0;
  for (Record const& record : context.records)
    if (waits::waits_for_messages(record.key.op())) receiving_ns += context.rate.to_ns(record.time);
  out.raw(",").seconds(receiving_ns).raw(",");
  if (context.has_waits) out.seconds(context.waits.measured_ns());
  for (std::string_view const field : {processors.package, processors.numa, processors.core, processors.leaf})
    out.raw(",").field(field);
  out.raw("\n");
  return 1;
}

std::uint64_t write_region_rows(RowContext const& context, TextWriter& out) {
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < context.regions.size(); ++i) {
    auto const region = static_cast<RegionIndex>(i);
    RegionTotals const& totals = context.regions.totals(region);
    if (totals.entered == 0) continue;
    out.field(context.regions.path(region, path_room)).raw(",").number(std::int64_t{context.facts.rank}).raw(",");
    out.number(totals.entered).raw(",").seconds(context.rate.to_ns(totals.wall)).raw(",");
    out.seconds(context.rate.to_ns(totals.mpi)).raw("\n");
    ++rows;
  }
  return rows;
}

namespace {

std::string_view name_of(MessageClass message_class) {
  switch (message_class) {
    case MessageClass::p2p:
      return schema::class_p2p;
    case MessageClass::rma:
      return schema::class_rma;
    case MessageClass::internal:
      break;
  }
  return schema::class_internal;
}

// The sort key of a message's row.
auto place_of(PeerRecord const& record) {
  return std::tuple(record.key.comm(), record.key.scope(), record.peer.message_class(), record.world_rank,
                    record.peer.is_source(), record.key.bin(), record.key.op());
}

}  // namespace

MergedPeers::MergedPeers() {
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next())
    shard->peers.for_each([&](PeerRecord const& record) { collect(record); });
  merge();
}

MergedPeers::MergedPeers(std::span<PeerRecord const> records) {
  for (PeerRecord const& record : records) collect(record);
  merge();
}

void MergedPeers::collect(PeerRecord const& record) {
  if (record.messages != 0 && !records_.push_back(record)) lost_messages_ += record.messages;
}

void MergedPeers::merge() {
  std::sort(records_.begin(), records_.end(),
            [](PeerRecord const& a, PeerRecord const& b) { return place_of(a) < place_of(b); });
  for (PeerRecord const& record : records_) {
    PeerRecord* const last = size_ == 0 ? nullptr : records_.begin() + size_ - 1;
    if (last != nullptr && place_of(*last) == place_of(record)) last->merge(record);
    else records_.begin()[size_++] = record;
  }
}

std::uint64_t write_peer_rows(RowContext const& context, TextWriter& out) {
  char name_room[Registry::max_name];
  std::uint64_t rows = 0;
  for (PeerRecord const& peer : context.peers) {
    std::int64_t const here = context.facts.rank, there = static_cast<std::int32_t>(peer.world_rank);
    MessageClass const message_class = peer.peer.message_class();
    SizeBin const bin = peer.key.bin();
    out.field(context.regions.path(context.sites.region(peer.key.scope()), path_room))
        .raw(",")
        .raw(context.registry.name(peer.key.comm(), name_room));
    out.raw(",").raw(name_of(message_class)).raw(",").number(peer.peer.is_source() ? there : here).raw(",");
    out.number(peer.peer.is_source() ? here : there).raw(",").number(smallest_of(bin)).raw(",").number(largest_of(bin));
    out.raw(",").number(peer.messages).raw(",").number(peer.bytes).raw(",");
    out.raw(message_class == MessageClass::internal ? op_name(peer.key.op()) : std::string_view{}).raw("\n");
    ++rows;
  }
  return rows;
}

// Whether this process writes the communicator's row.
bool is_row_written(RowContext const& context, CommIndex index) {
  if (index == CommIndex::self) return context.facts.rank == 0;
  Registry::Description const comm = context.registry.describe(index);
  return comm.is_described_here && comm.is_lead_side && comm.is_in_use && !is_offered(context.registry, index);
}

std::uint64_t write_communicator_rows(RowContext const& context, TextWriter& out) {
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < context.registry.size(); ++i) {
    auto const index = static_cast<CommIndex>(i);
    if (!is_row_written(context, index)) continue;
    write_communicator_row(context, index, out);
    ++rows;
  }
  return rows;
}

bool is_offered(Registry const& registry, CommIndex index) {
  return registry.describe(index).is_folded || (registry.is_private(index) && index != CommIndex::self);
}

void write_communicator_row(RowContext const& context, CommIndex index, TextWriter& out) {
  Registry const& registry = context.registry;
  Registry::Description const comm = registry.describe(index);
  char room[Registry::max_name];
  bool const is_root = comm.parent == CommIndex::unknown;
  out.raw(registry.name(index, room)).raw(",");
  out.raw(is_root ? std::string_view{} : registry.name(comm.parent, room)).raw(",");
  out.raw(is_root ? std::string_view{} : op_name(comm.created_by)).raw(",");
  out.number(std::int64_t{comm.total_size})
      .raw(",")
      .field(registry.is_private(index) ? std::string_view{} : registry.text(comm.members))
      .raw(",");
  out.field(registry.text(comm.topology)).raw(",");
  if (comm.reorder >= 0) out.number(std::int64_t{comm.reorder});
  out.raw(",").field(registry.text(comm.user_name)).raw(comm.is_freed ? ",1," : ",0,");
  char site_room[Sites::max_name];
  out.field(context.sites.name(comm.created_at, site_room)).raw("\n");
}

std::uint64_t write_offered_communicator_rows(RowContext const& context, TextWriter& out) {
  for (std::size_t i = 0; i < context.registry.size(); ++i) {
    if (!is_offered(context.registry, static_cast<CommIndex>(i))) continue;
    out.keep_together(Registry::max_name + 1);
    write_communicator_row(context, static_cast<CommIndex>(i), out);
  }
  return 0;  // Offers counts them
}

namespace {

// The lines of source of a site and of its callers, separated by " < ", as many as fit.
template <class Text>
std::string_view list_of_lines(Sites const& sites, SiteIndex site, char (&room)[PATH_MAX], Text const& text) {
  std::size_t length = 0;
  for (; site != SiteIndex::none; site = sites[site].caller) {
    std::string_view const one = text(sites[site]), behind = length == 0 ? "" : " < ";
    if (length + behind.size() + one.size() > sizeof room) break;
    length += behind.copy(room + length, behind.size());
    length += one.copy(room + length, one.size());
  }
  return {room, length};
}

void write_source_line(Sites const& sites, SiteIndex site, TextWriter& out) {
  char room[PATH_MAX], number[24];
  auto const function = [&](Sites::Site const& one) { return sites.function(one.module); };
  auto const file = [&](Sites::Site const& one) { return sites.path(one.module); };
  auto const line = [&](Sites::Site const& one) {
    int const length = std::snprintf(number, sizeof number, "%llu", static_cast<unsigned long long>(one.offset));
    return std::string_view(number, static_cast<std::size_t>(length));
  };
  out.raw(",").field(list_of_lines(sites, site, room, function));
  out.raw(",").field(list_of_lines(sites, site, room, file));
  out.raw(",").field(list_of_lines(sites, site, room, line)).raw("\n");
}

}  // namespace

std::uint64_t write_site_rows(RowContext const& context, TextWriter& out) {
  Sites const& sites = context.sites;
  char room[Sites::max_name], offset[24];
  for (std::size_t i = 1; i < sites.size(); ++i) {
    auto const site = static_cast<SiteIndex>(i);
    std::string_view const name = sites.name(site, room);
    if (name.empty()) continue;
    out.keep_together(longest_field * 2 * PATH_MAX);
    int const digits =
        std::snprintf(offset, sizeof offset, "0x%llx", static_cast<unsigned long long>(sites[site].offset));
    out.field(name).raw(",").field(sites.module_name(sites[site].module)).raw(",");
    out.raw({offset, static_cast<std::size_t>(digits)});
    if (sites.function(sites[site].module).empty()) out.raw(",,,\n");
    else write_source_line(sites, site, out);
  }
  return 0;
}

std::uint64_t write_module_rows(RowContext const& context, TextWriter& out) {
  for (std::uint32_t i = 0; i < context.sites.modules(); ++i) {
    if (!context.sites.function(i).empty()) continue;  // sites.csv has everything about an interpreted function
    out.keep_together(longest_field * 2 * PATH_MAX);
    out.field(context.sites.module_name(i)).raw(",").field(context.sites.path(i)).raw(",");
    out.raw(context.sites.build_id(i)).raw("\n");
  }
  return 0;
}

}  // namespace commprof
