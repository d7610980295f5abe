#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <tuple>
#include <type_traits>

#include "calls/by_operation.hpp"
#include "ops.hpp"
#include "profile/profile.hpp"
#include "profile/schema.hpp"
#include "profile/text_writer.hpp"

namespace commprof {

namespace {

// A region's name and lists of lines are too long for a thread's stack; one profile is written at a time, so these
// buffers are static.
char path_room[Regions::max_path];
char function_room[PATH_MAX], file_room[PATH_MAX], line_room[PATH_MAX];
char operation_room[128];
struct TimeOfOperation {
  double ns = 0, waiting_ns = 0;
  bool moves_data = false;
};
std::array<TimeOfOperation, static_cast<std::size_t>(Op::count_)> times_of_operations;

}  // namespace

std::string_view operation_name(Op op, bool is_unfinished) {
  std::string_view const name = op_name(op), suffix = schema::unfinished_suffix;
  if (!is_unfinished || name.size() + suffix.size() > sizeof operation_room) return name;
  suffix.copy(operation_room + name.copy(operation_room, name.size()), suffix.size());
  return {operation_room, name.size() + suffix.size()};
}

static_assert(schema::message_classes.size() == static_cast<std::size_t>(MessageClass::count_));

namespace {

// What a row is for.
RecordKey place_of(Record const& record) { return record.key; }
auto place_of(PeerRecord const& record) {
  return std::tuple(record.key.comm(), record.key.scope(), record.peer.message_class(), record.world_rank,
                    record.peer.is_source(), record.key.bin(), record.key.op(), record.peer.size_of_call());
}

std::uint64_t number_of(Record const& record) { return record.calls; }
std::uint64_t number_of(PeerRecord const& record) { return record.messages; }

}  // namespace

template <class One>
Merged<One>::Merged(std::span<One const> records, bool with_own) {
  auto const take = [&](One const& record) {
    if (number_of(record) != 0 && !records_.push_back(record)) lost_ += number_of(record);
  };
  for (Shard const* shard = with_own ? Shards::first() : nullptr; shard != nullptr; shard = shard->next()) {
    if constexpr (std::is_same_v<One, Record>) shard->for_each(take);
    else shard->peers.for_each(take);
  }
  for (One const& record : records) take(record);
  std::sort(records_.begin(), records_.end(), [](One const& a, One const& b) { return place_of(a) < place_of(b); });
  join_neighbours(
      records_, [](One const& a, One const& b) { return place_of(a) == place_of(b); },
      [](One& kept, One const& record) { kept.merge(record); });
}
template Merged<Record>::Merged(std::span<Record const> records, bool with_own);
template Merged<PeerRecord>::Merged(std::span<PeerRecord const> records, bool with_own);

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
      size = context.registry.copy_of(comm).total_size();
      named = comm;
    }
    SizeBin const bin = record.key.bin();
    write_row<schema::operations_columns>(
        out, cell<"region">(path), cell<"comm">(name), cell<"comm_size">(static_cast<std::uint64_t>(size)),
        cell<"rank">(context.facts.rank), cell<"op">(operation_name(record.key.op(), record.key.is_unfinished())),
        cell<"size_min">(smallest_of(bin)), cell<"size_max">(largest_of(bin)), cell<"calls">(record.calls),
        cell<"bytes_sent">(record.bytes.sent), cell<"bytes_received">(record.bytes.received),
        cell<"time_s">(context.duration(record.time)), cell<"time_min_s">(context.duration(record.shortest)),
        cell<"time_max_s">(context.duration(record.longest)),
        cell<"site">(context.sites.name(context.sites.site(scope), site_room)));
    ++rows;
  }
  return rows;
}

namespace {

// Where the time of a process went, of all threads that call MPI: what is not waiting.
struct Account {
  std::uint64_t work_ns = 0, moving_ns = 0, other_ns = 0, unknown_ns = 0;
  std::optional<std::uint64_t> queued_outside_ns{}, queued_inside_ns{};
};

// Whether a process may wait for others in the operation.
bool may_wait(Op op) {
  return calls::waits_for_others(op) || calls::waits_for_members(op) || calls::waits_for_senders(op) ||
         calls::waits_for_receivers(op);
}

std::optional<Nanoseconds> in_time(std::optional<std::uint64_t> ns) {
  return ns ? std::optional(Nanoseconds{*ns}) : std::nullopt;
}

// Time outside MPI, of all threads that call it.
double outside_ns(RowContext const& context, Ticks wall, double mpi_ns) {
  auto const threads = static_cast<double>(std::max<std::uint64_t>(context.threads_at_once, 1));
  return static_cast<double>(context.rate.to_ns(wall)) * threads - mpi_ns;
}

// Waiting for a processor is measured at other moments than time outside MPI, which matters in runs of milliseconds.
// Nothing if the system does not count it.
std::optional<std::uint64_t> queued_outside_ns(RowContext const& context, std::uint64_t measured_ns,
                                               double outside_ns) {
  if (!context.processor_use || !context.processor_use->queued_outside_ns) return {};
  return std::min(measured_ns, rounded(outside_ns));
}

Account account_of(RowContext const& context) {
  for (TimeOfOperation& one : times_of_operations) one = {};
  double mpi_ns = 0;
  for (Record const& record : context.records) {
    TimeOfOperation& sum = times_of_operations[static_cast<std::size_t>(record.key.op())];
    sum.ns += static_cast<double>(context.rate.to_ns(record.time));
    mpi_ns += static_cast<double>(context.rate.to_ns(record.time));
    sum.moves_data = sum.moves_data || record.bytes.sent + record.bytes.received > 0;
  }
  for (OwnMessageWaits::Row const& row : context.waits.by_rank())
    if (row.kind != WaitKind::pending && row.op != Op::Finalize)
      times_of_operations[static_cast<std::size_t>(row.op)].waiting_ns += static_cast<double>(row.wait_ns);
  bool const is_joined = context.waits.is_joined();
  double moving_ns = 0, other_ns = 0, unknown_ns = 0;
  for (std::size_t i = 0; i < times_of_operations.size(); ++i) {
    auto const op = static_cast<Op>(i);
    TimeOfOperation const& sum = times_of_operations[i];
    double const unknown = sum.ns * (is_joined ? context.waits.unknown_share(op) : may_wait(op) ? 1 : 0);
    unknown_ns += unknown;
    bool const moves_data = sum.moves_data || calls::completes_requests(op);
    (moves_data ? moving_ns : other_ns) += sum.ns - unknown - sum.waiting_ns;
  }
  double work_ns = outside_ns(context, context.wall, mpi_ns);
  std::uint64_t const measured_ns = context.processor_use ? context.processor_use->queued_outside_ns.value_or(0) : 0;
  auto const queued_ns = queued_outside_ns(context, measured_ns, work_ns);
  work_ns -= static_cast<double>(queued_ns.value_or(0));
  // Waiting is an estimate, and may be more than the time of the calls in which it is: the other classes then have
  // less.
  double excess_ns = std::max(-moving_ns, 0.) + std::max(-other_ns, 0.) + std::max(-work_ns, 0.);
  for (double* const part : {&moving_ns, &other_ns, &unknown_ns, &work_ns}) {
    *part = std::max(*part, 0.);
    double const less_ns = std::min(*part, excess_ns);
    *part -= less_ns;
    excess_ns -= less_ns;
  }
  // In calls, it matters only while nobody is missing: as much of it as fits there.
  std::optional<std::uint64_t> queued_inside_ns;
  if (queued_ns && context.processor_use->queued_ns) {
    double const calls_ns = moving_ns + other_ns;
    double const inside_ns = static_cast<double>(*context.processor_use->queued_ns) - static_cast<double>(*queued_ns);
    queued_inside_ns = rounded(std::min(inside_ns, calls_ns));
    for (double* const part : {&moving_ns, &other_ns})
      *part -= calls_ns > 0 ? *part / calls_ns * static_cast<double>(*queued_inside_ns) : 0;
  }
  return {rounded(work_ns), rounded(moving_ns), rounded(other_ns), rounded(unknown_ns), queued_ns, queued_inside_ns};
}

}  // namespace

std::uint64_t write_rank_row(RowContext const& context, TextWriter& out) {
  auto const processors = [&](Processors which) { return part_of(context.processors, which); };
  std::optional<ProcessorUse> const& use = context.processor_use;
  auto const counted = [&](std::uint64_t ProcessorUse::*member) {
    return use ? std::optional((*use).*member) : std::nullopt;
  };
  auto const waited = [&](std::uint64_t (OwnMessageWaits::*ns)() const) {
    return context.waits.is_joined() ? std::optional(Nanoseconds{(context.waits.*ns)()}) : std::nullopt;
  };
  auto const used = [&](std::optional<std::uint64_t> ProcessorUse::*ns) {
    return in_time(use ? (*use).*ns : std::nullopt);
  };
  Account const account = account_of(context);
  write_row<schema::ranks_columns>(
      out, cell<"rank">(context.facts.rank), cell<"host">(context.facts.host),
      cell<"pid">(static_cast<std::uint64_t>(context.facts.pid)), cell<"cpus">(processors(Processors::cpus)),
      cell<"threads">(context.threads), cell<"wall_s">(context.duration(context.wall)),
      cell<"mpi_s">(context.duration(context.records.total_time())),
      cell<"cpu_s">(in_time(counted(&ProcessorUse::cpu_ns))), cell<"queued_s">(used(&ProcessorUse::queued_ns)),
      cell<"voluntary_switches">(counted(&ProcessorUse::voluntary_switches)),
      cell<"involuntary_switches">(counted(&ProcessorUse::involuntary_switches)),
      cell<"waiting_s">(waited(&OwnMessageWaits::measured_ns)), cell<"package">(processors(Processors::package)),
      cell<"numa">(processors(Processors::numa)), cell<"core">(processors(Processors::core)),
      cell<"threads_at_once">(context.threads_at_once), cell<"max_rss_bytes">(counted(&ProcessorUse::max_rss_bytes)),
      cell<"waiting_error_s">(waited(&OwnMessageWaits::measured_error_ns)),
      cell<"caused_s">(waited(&OwnMessageWaits::caused_ns)), cell<"finalize_s">(in_time(context.waits.finalize_ns())),
      cell<"queued_outside_s">(in_time(account.queued_outside_ns)), cell<"work_s">(Nanoseconds{account.work_ns}),
      cell<"moving_s">(Nanoseconds{account.moving_ns}), cell<"other_s">(Nanoseconds{account.other_ns}),
      cell<"unknown_s">(Nanoseconds{account.unknown_ns}), cell<"throttled_s">(used(&ProcessorUse::throttled_ns)),
      cell<"stolen_s">(used(&ProcessorUse::stolen_ns)), cell<"queued_inside_s">(in_time(account.queued_inside_ns)));
  return 1;
}

std::uint64_t write_region_rows(RowContext const& context, TextWriter& out) {
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < context.regions.size(); ++i) {
    auto const region = static_cast<RegionIndex>(i);
    RegionTotals const& totals = context.regions.totals(region);
    if (totals.entered == 0) continue;
    auto const mpi_ns = static_cast<double>(context.rate.to_ns(totals.mpi));
    auto const queued_ns = queued_outside_ns(context, totals.queued_ns, outside_ns(context, totals.wall, mpi_ns));
    write_row<schema::regions_columns>(
        out, cell<"region">(context.regions.path(region, path_room)), cell<"rank">(context.facts.rank),
        cell<"entered">(totals.entered), cell<"wall_s">(context.duration(totals.wall)),
        cell<"mpi_s">(context.duration(totals.mpi)), cell<"queued_outside_s">(in_time(queued_ns)));
    ++rows;
  }
  return rows;
}

std::uint64_t write_peer_rows(RowContext const& context, TextWriter& out) {
  char name_room[Registry::max_name];
  std::uint64_t rows = 0;
  for (PeerRecord const& peer : context.peers) {
    std::int32_t const here = context.facts.rank, there = static_cast<std::int32_t>(peer.world_rank);
    MessageClass const message_class = peer.peer.message_class();
    SizeBin const bin = peer.key.bin();
    bool const is_internal = message_class == MessageClass::internal, is_source = peer.peer.is_source();
    SizeBin const size_of_call = peer.peer.size_of_call();
    auto const bound = [&](std::uint64_t (*of)(SizeBin)) {
      return size_of_call == no_size ? std::nullopt : std::optional(of(size_of_call));
    };
    write_row<schema::peers_columns>(
        out, cell<"region">(context.regions.path(context.sites.region(peer.key.scope()), path_room)),
        cell<"comm">(context.registry.name(peer.key.comm(), name_room)),
        cell<"class">(schema::message_classes[static_cast<std::size_t>(message_class)]),
        cell<"src">(is_source ? there : here), cell<"dst">(is_source ? here : there),
        cell<"size_min">(smallest_of(bin)), cell<"size_max">(largest_of(bin)), cell<"messages">(peer.messages),
        cell<"bytes">(peer.bytes), cell<"op">(is_internal ? op_name(peer.key.op()) : std::string_view{}),
        cell<"call_size_min">(bound(smallest_of)), cell<"call_size_max">(bound(largest_of)));
    ++rows;
  }
  return rows;
}

// Whether this process writes the communicator's row.
bool is_row_written(Registry const& registry, std::int32_t rank, CommIndex index) {
  if (index == CommIndex::self) return rank == 0;
  Communicator const comm = registry.copy_of(index);
  return comm.is_described_here && comm.is_lead_side && comm.instances > 0 && !is_offered(registry, index);
}

std::uint64_t write_communicator_rows(RowContext const& context, TextWriter& out) {
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < context.registry.size(); ++i) {
    auto const index = static_cast<CommIndex>(i);
    if (!is_row_written(context.registry, context.facts.rank, index)) continue;
    write_communicator_row(context, index, out);
    ++rows;
  }
  return rows;
}

bool is_offered(Registry const& registry, CommIndex index) {
  return registry.copy_of(index).is_folded || (registry.is_private(index) && index != CommIndex::self);
}

void write_communicator_row(RowContext const& context, CommIndex index, TextWriter& out) {
  Registry const& registry = context.registry;
  Communicator const comm = registry.copy_of(index);
  char room[Registry::max_name], parent_room[Registry::max_name], site_room[Sites::max_name];
  char user_name_room[Registry::max_user_name];
  bool const is_root = comm.parent == CommIndex::unknown;
  std::string_view const none;
  write_row<schema::communicators_columns>(
      out, cell<"comm">(registry.name(index, room)),
      cell<"parent">(is_root ? none : registry.name(comm.parent, parent_room)),
      cell<"created_by">(comm.creation() ? op_name(*comm.creation()) : none),
      cell<"size">(static_cast<std::uint64_t>(comm.total_size())),
      cell<"members">(registry.is_private(index) ? none : registry.text(comm.members)),
      cell<"topology">(registry.text(comm.topology)),
      cell<"reorder">(comm.reorder < 0 ? std::nullopt : std::optional(comm.reorder != 0)),
      cell<"user_name">(registry.user_name(index, user_name_room)), cell<"freed">(registry.is_freed(index)),
      cell<"created_at">(context.sites.name(comm.created_at, site_room)));
}

std::uint64_t write_offered_communicator_rows(RowContext const& context, TextWriter& out) {
  for (std::size_t i = 0; i < context.registry.size(); ++i) {
    if (!is_offered(context.registry, static_cast<CommIndex>(i))) continue;
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

}  // namespace

std::uint64_t write_site_rows(RowContext const& context, TextWriter& out) {
  Sites const& sites = context.sites;
  char room[Sites::max_name], number[24];
  for (std::size_t i = 1; i < sites.size(); ++i) {
    auto const site = static_cast<SiteIndex>(i);
    std::string_view const name = sites.name(site, room);
    if (name.empty()) continue;
    std::uint32_t const module = sites[site].module;
    bool const is_resolved = !sites.function(module).empty();
    auto const list = [&](char(&text)[PATH_MAX], auto const& one) {
      return is_resolved ? list_of_lines(sites, site, text, one) : std::string_view{};
    };
    auto const line_of = [&](Sites::Site const& one) {
      int const length = std::snprintf(number, sizeof number, "%llu", static_cast<unsigned long long>(one.offset));
      return std::string_view(number, static_cast<std::size_t>(length));
    };
    write_row<schema::sites_columns>(
        out, cell<"site">(name), cell<"module">(sites.module_name(module)),
        cell<"offset">(Hexadecimal{sites[site].offset}),
        cell<"function">(list(function_room, [&](Sites::Site const& one) { return sites.function(one.module); })),
        cell<"file">(list(file_room, [&](Sites::Site const& one) { return sites.path(one.module); })),
        cell<"line">(list(line_room, line_of)));
  }
  return 0;
}

std::uint64_t write_module_rows(RowContext const& context, TextWriter& out) {
  for (std::uint32_t i = 0; i < context.sites.modules(); ++i) {
    if (!context.sites.function(i).empty()) continue;  // sites.csv has everything about an interpreted function
    write_row<schema::modules_columns>(out, cell<"module">(context.sites.module_name(i)),
                                       cell<"path">(context.sites.path(i)),
                                       cell<"build_id">(context.sites.build_id(i)));
  }
  return 0;
}

void UnfinishedRequests::take(PendingRequest const& request) {
  if (request.is_persistent() && request.start() == 0) return;
  if (request.is_counted()) ++count_;
  if (request.receives() && !request.is_persistent()) add(request.key, request.bytes(), request.issue_time);
}

void UnfinishedRequests::take(StartedCall const& call) { add(call.key, call.volume, call.time); }

void UnfinishedRequests::add(RecordKey key_without_size, Volume volume, Ticks time) {
  if (key_without_size.is_of_nothing()) return;  // issued while counting was paused
  Record record{};
  record.key = key_without_size.with(size_bin(volume.total()));
  record.add(volume, time);
  if (!records_.push_back(record)) ++lost_calls_;
}

}  // namespace commprof
