// Writes the rows of waits.csv and waits_by_rank.csv.
#include "ops.hpp"
#include "profile/rows.hpp"
#include "waits/waits_for.hpp"

namespace commprof {

std::uint64_t write_wait_rows(RowContext const& context, TextWriter& out) {
  char room[Registry::max_name];
  std::uint64_t rows = 0;
  for (WaitRow const& row : context.waits.rows()) {
    if (!is_row_written(context, row.comm)) continue;
    out.raw(context.registry.name(row.comm, room)).raw(",").raw(op_name(row.op)).raw(",");
    out.number(std::uint64_t{row.ranks}).raw(",").number(row.calls).raw(",").number(row.samples).raw(",");
    out.raw(row.is_by_entries ? schema::how_entries : schema::how_durations).raw(",");
    out.seconds(row.time_ns).raw(",").seconds(row.wait_ns).raw(",");
    if (row.has_error) out.seconds(row.wait_error_ns);
    out.raw(",").seconds(row.move_ns).raw(",").seconds(row.rest_ns).raw(",");
    if (row.has_last) {
      out.number(std::int64_t{row.last_rank}).raw(",");
      out.seconds(row.last_calls * 1'000'000'000U / row.samples).raw(",").seconds(row.late_ns).raw("\n");
    } else {
      out.raw(",,\n");
    }
    ++rows;
  }
  return rows;
}

std::uint64_t write_own_wait_rows(RowContext const& context, TextWriter& out) {
  char room[Registry::max_name];
  std::uint64_t rows = 0;
  for (OwnWaitRow const& row : context.waits.own_rows()) {
    out.raw(context.registry.name(row.comm, room)).raw(",").raw(op_name(row.op)).raw(",");
    out.number(std::int64_t{context.facts.rank}).raw(",").number(row.samples).raw(",");
    out.seconds(row.time_ns).raw(",").seconds(row.wait_ns).raw(",").number(row.last).raw("\n");
    ++rows;
  }
  return rows;
}

void count_calls_without_waits(RowContext const& context, RunSummary& summary) {
  auto const count = [&](NoWaits why, std::uint64_t calls) {
    summary.no_waits[static_cast<std::size_t>(why)] += calls;
  };
  count(NoWaits::incomplete, context.waits.incomplete_calls());
  for (Record const& record : context.records) {
    Communicator const& comm = context.registry[record.key.comm()];
    if (waits::waits_for(record.key.op()) == waits::WaitsFor::nobody) continue;
    if (comm.is_folded) count(NoWaits::folded, record.calls);
    else if (comm.is_inter) count(NoWaits::intercommunicators, record.calls);
    else if (comm.size > 1 && !context.registry.has_same_members_on_all(comm)) count(NoWaits::other, record.calls);
  }
}

}  // namespace commprof
