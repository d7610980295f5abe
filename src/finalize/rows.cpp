#include "finalize/rows.hpp"

#include <sched.h>

#include <algorithm>

#include "comm_naming/rank_ranges.hpp"
#include "ops.hpp"
#include "profile/dropped.hpp"
#include "profile/schema.hpp"

namespace commprof {

namespace {

// The processors that this process may run on, as ranges.
void allowed_cpus(PageVector<char>& text) {
  constexpr int max_cpus = 8192;
  static unsigned char mask[CPU_ALLOC_SIZE(max_cpus)];
  static int cpus[max_cpus];
  auto* const set = reinterpret_cast<cpu_set_t*>(mask);
  CPU_ZERO_S(sizeof mask, set);
  if (sched_getaffinity(0, sizeof mask, set) != 0) return;
  std::size_t count = 0;
  for (int cpu = 0; cpu < max_cpus; ++cpu)
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), sizeof mask, set)) cpus[count++] = cpu;
  append_rank_ranges(text, cpus, count);
}

// True for the process whose task it is to write the communicator's row.
bool is_written_here(Registry const& registry, CommIndex index, RunFacts const& facts) {
  if (index == CommIndex::self) return facts.rank == 0;
  Communicator const& comm = registry[index];
  return comm.is_described_here && comm.is_lead_side && comm.instances > 0 && !is_offered(registry, index);
}

}  // namespace

MergedRecords::MergedRecords() {
  PageVector<Record const*> order;
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next()) {
    shard->for_each([&](Record const& record) {
      if (record.calls != 0 && !order.push_back(&record)) dropped::count(Dropped::records, record.calls);
    });
  }
  std::sort(order.begin(), order.end(), [](Record const* a, Record const* b) { return a->key < b->key; });
  for (Record const* const record : order) {
    bool const known = records_.size() > 0 && (records_.end() - 1)->key == record->key;
    if (known) (records_.end() - 1)->merge(*record);
    else if (!records_.push_back(*record)) dropped::count(Dropped::records, record->calls);
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
  std::uint64_t rows = 0;
  for (Record const& record : context.records) {
    CommIndex const comm = record.key.comm();
    if (comm != named) {
      name = context.registry.name(comm, name_room);
      named = comm;
    }
    SizeBin const bin = record.key.bin();
    out.field(schema::main_region).raw(",").raw(name).raw(",");
    out.number(std::int64_t{context.registry[comm].total_size()}).raw(",").number(std::int64_t{context.facts.rank}).raw(",");
    out.raw(op_name(record.key.op())).raw(",").number(smallest_of(bin)).raw(",").number(largest_of(bin)).raw(",");
    out.number(record.calls).raw(",").number(record.bytes.sent).raw(",").number(record.bytes.received).raw(",");
    out.seconds(context.rate.to_ns(record.time)).raw(",").seconds(context.rate.to_ns(record.shortest)).raw(",");
    out.seconds(context.rate.to_ns(record.longest)).raw("\n");
    ++rows;
  }
  return rows;
}

std::uint64_t write_rank_row(RowContext const& context, TextWriter& out) {
  PageVector<char> cpus;
  allowed_cpus(cpus);
  out.number(std::int64_t{context.facts.rank}).raw(",").field(context.facts.host).raw(",");
  out.number(std::int64_t{context.facts.pid}).raw(",").field({cpus.begin(), cpus.size()}).raw(",");
  out.number(Shards::threads()).raw(",").seconds(context.rate.to_ns(context.wall)).raw(",");
  out.seconds(context.rate.to_ns(context.records.total_time())).raw("\n");
  return 1;
}

std::uint64_t write_communicator_rows(RowContext const& context, TextWriter& out) {
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < context.registry.size(); ++i) {
    auto const index = static_cast<CommIndex>(i);
    if (!is_written_here(context.registry, index, context.facts)) continue;
    write_communicator_row(context, index, out);
    ++rows;
  }
  return rows;
}

bool is_offered(Registry const& registry, CommIndex index) {
  return registry[index].is_folded || (registry.is_private(index) && index != CommIndex::self);
}

void write_communicator_row(RowContext const& context, CommIndex index, TextWriter& out) {
  Registry const& registry = context.registry;
  Communicator const& comm = registry[index];
  char room[Registry::max_name];
  bool const is_root = comm.parent == CommIndex::unknown;
  out.raw(registry.name(index, room)).raw(",");
  out.raw(is_root ? std::string_view{} : registry.name(comm.parent, room)).raw(",");
  out.raw(is_root ? std::string_view{} : op_name(comm.created_by)).raw(",");
  out.number(std::int64_t{comm.total_size()}).raw(",").field(registry.is_private(index) ? std::string_view{} : registry.text(comm.members)).raw(",");
  out.field(registry.text(comm.topology)).raw(",");
  if (comm.reorder >= 0) out.number(std::int64_t{comm.reorder});
  out.raw(",").field(registry.text(comm.user_name)).raw(registry.is_freed(index) ? ",1\n" : ",0\n");
}

}  // namespace commprof
