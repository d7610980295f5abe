// Writes the rows of waits.csv and waits_by_rank.csv.
#include "ops.hpp"
#include "profile/csv_row.hpp"
#include "profile/rows.hpp"
#include "waits/waits_for.hpp"

namespace commprof {

std::uint64_t write_wait_rows(RowContext const& context, TextWriter& out) {
  char room[Registry::max_name];
  std::uint64_t rows = 0;
  for (WaitRow const& row : context.waits.rows()) {
    if (!is_row_written(context, row.comm)) continue;
    Billionths const last_share{row.has_last ? row.last_calls * 1'000'000'000U / row.samples : 0};
    auto const if_known = [](bool is_known, auto value) { return is_known ? std::optional(value) : std::nullopt; };
    write_row<schema::waits_columns>(out, cell<"comm">(context.registry.name(row.comm, room)),
                                     cell<"op">(op_name(row.op)), cell<"ranks">(std::uint64_t{row.ranks}),
                                     cell<"calls">(row.calls), cell<"samples">(row.samples),
                                     cell<"how">(row.is_by_entries ? schema::how_entries : schema::how_durations),
                                     cell<"time_s">(Nanoseconds{row.time_ns}), cell<"wait_s">(Nanoseconds{row.wait_ns}),
                                     cell<"wait_error_s">(if_known(row.has_error, Nanoseconds{row.wait_error_ns})),
                                     cell<"move_s">(Nanoseconds{row.move_ns}), cell<"rest_s">(Nanoseconds{row.rest_ns}),
                                     cell<"last_rank">(if_known(row.has_last, row.last_rank)),
                                     cell<"last_share">(if_known(row.has_last, last_share)),
                                     cell<"late_s">(if_known(row.has_last, Nanoseconds{row.late_ns})));
    ++rows;
  }
  return rows;
}

std::uint64_t write_own_wait_rows(RowContext const& context, TextWriter& out) {
  char room[Registry::max_name];
  std::uint64_t rows = 0;
  for (OwnWaitRow const& row : context.waits.own_rows()) {
    write_row<schema::waits_by_rank_columns>(out, cell<"comm">(context.registry.name(row.comm, room)),
                                             cell<"op">(op_name(row.op)), cell<"rank">(context.facts.rank),
                                             cell<"samples">(row.samples), cell<"time_s">(Nanoseconds{row.time_ns}),
                                             cell<"wait_s">(Nanoseconds{row.wait_ns}), cell<"last">(row.last));
    ++rows;
  }
  return rows;
}

void count_calls_without_waits(RowContext const& context, RunSummary& summary) {
  auto const count = [&](NoWaits why, std::uint64_t calls) {
    summary.no_waits[static_cast<std::size_t>(why)] += calls;
  };
  count(NoWaits::incomplete, context.waits.incomplete_calls());
  count(NoWaits::disagreeing, context.waits.disagreeing_calls());
  for (Record const& record : context.records) {
    Communicator const& comm = context.registry[record.key.comm()];
    if (waits::waits_for(record.key.op()) == waits::WaitsFor::nobody) continue;
    if (comm.is_folded) count(NoWaits::folded, record.calls);
    else if (comm.is_inter) count(NoWaits::intercommunicators, record.calls);
    else if (comm.size > 1 && !context.registry.has_same_members_on_all(comm)) count(NoWaits::other, record.calls);
  }
}

}  // namespace commprof
