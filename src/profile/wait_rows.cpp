// Writes the rows of the files about waiting, and of when.csv.
#include <algorithm>
#include <cstdio>

#include "calls/by_operation.hpp"
#include "ops.hpp"
#include "profile/profile.hpp"
#include "profile/text_writer.hpp"

namespace commprof {

namespace {

// A share, for a column.
Billionths billionths(double share) { return {rounded(std::clamp(share, 0.0, 1.0) * 1e9)}; }

std::optional<Billionths> share_of(double part, double all) {
  return all > 0 ? std::optional(billionths(part / all)) : std::nullopt;
}

// The heaviest rank and its share.
struct Heaviest {
  std::optional<std::int32_t> rank;
  std::optional<Billionths> share;

  Heaviest(HeaviestRanks const& ranks, double all) {
    if (ranks.ones[0].rank < 0 || all <= 0) return;
    rank = ranks.ones[0].rank;
    share = share_of(ranks.ones[0].weight, all);
  }
};

}  // namespace

void take_communicators(OwnMessageWaits& own, Registry const& registry, std::int32_t rank) {
  char room[Registry::max_name];
  PageVector<OwnMessageWaits::Comm> comms;
  bool is_whole = true;
  for (std::size_t i = 0; i < registry.size() && is_whole; ++i) {
    auto const index = static_cast<CommIndex>(i);
    Communicator const& record = registry[index];
    OwnMessageWaits::Comm comm;
    comm.is_known_alike = registry.is_named_alike(record);
    comm.has_members = registry.has_same_members_on_all(record);
    comm.own_rank = record.rank;
    comm.members = static_cast<std::uint32_t>(record.total_size());
    if (comm.is_known_alike) {
      comm.name = MessageComm::of(registry.name(index, room));
      comm.writes_rows = is_row_written(registry, rank, index);
    }
    is_whole = comms.push_back(comm);
  }
  own.take(comms);
}

std::uint64_t write_wait_rows(RowContext const& context, TextWriter& out) {
  char room[Registry::max_name];
  std::uint64_t rows = 0;
  for (MessageRow const& row : context.waits.rows().rows) {
    CommIndex const comm = context.waits.find(row.comm);
    if (comm == CommIndex::unknown || row.known <= 0 || row.concerned <= 0) continue;
    Heaviest const whom(row.whom, row.wait_ns), cause(row.cause, row.of_chains());
    write_row<schema::waits_columns>(
        out, cell<"kind">(name_of(row.kind)), cell<"comm">(context.registry.name(comm, room)),
        cell<"op">(op_name(row.op)), cell<"site">(std::string_view(row.site)), cell<"ranks">(std::uint64_t{row.ranks}),
        cell<"calls">(row.calls), cell<"instants">(std::optional(row.instants)),
        cell<"time_s">(Nanoseconds{row.time_ns}), cell<"wait_s">(Nanoseconds{rounded(row.wait_ns)}),
        cell<"wait_error_s">(std::optional(Nanoseconds{rounded(row.wait_error_ns())})),
        cell<"unknown_share">(std::optional(billionths(row.unknown / (row.known + row.unknown)))),
        cell<"last_rank">(whom.rank), cell<"last_share">(whom.share), cell<"caused_by">(cause.rank),
        cell<"caused_share">(cause.share), cell<"pattern_share">(share_of(row.pattern, row.of_chains())));
    ++rows;
  }
  return rows;
}

std::uint64_t write_own_wait_rows(RowContext const& context, TextWriter& out) {
  char room[Registry::max_name], site[Sites::max_name];
  std::uint64_t rows = 0;
  for (OwnMessageWaits::Row const& row : context.waits.by_rank()) {
    write_row<schema::waits_by_rank_columns>(
        out, cell<"kind">(name_of(row.kind)), cell<"comm">(context.registry.name(row.comm, room)),
        cell<"op">(op_name(row.op)), cell<"site">(context.sites.name(row.site, site)), cell<"rank">(context.facts.rank),
        cell<"instants">(std::optional(row.instants)), cell<"time_s">(Nanoseconds{row.time_ns}),
        cell<"wait_s">(Nanoseconds{row.wait_ns}), cell<"unknown_share">(std::optional(billionths(row.unknown_share))));
    ++rows;
  }
  return rows;
}

std::uint64_t write_pair_wait_rows(RowContext const& context, TextWriter& out) {
  char room[Registry::max_name];
  std::uint64_t rows = 0;
  for (OwnMessageWaits::Row const& row : context.waits.by_pair()) {
    write_row<schema::waits_by_pair_columns>(
        out, cell<"kind">(name_of(row.kind)), cell<"comm">(context.registry.name(row.comm, room)),
        cell<"op">(op_name(row.op)), cell<"rank">(context.facts.rank), cell<"for_rank">(row.for_rank),
        cell<"wait_s">(Nanoseconds{row.wait_ns}), cell<"wait_error_s">(Nanoseconds{row.error_ns}));
    ++rows;
  }
  return rows;
}

std::uint64_t write_cause_rows(RowContext const& context, TextWriter& out) {
  char room[Registry::max_name], site[Sites::max_name];
  for (OwnMessageWaits::CauseRow const& row : context.waits.cause_rows()) {
    bool const is_known = row.comm != CommIndex::unknown;
    write_row<schema::causes_columns>(
        out, cell<"rank">(context.facts.rank), cell<"comm">(is_known ? context.registry.name(row.comm, room) : ""),
        cell<"op">(is_known ? op_name(row.op) : ""), cell<"site">(context.sites.name(row.site, site)),
        cell<"caused_s">(Nanoseconds{row.caused_ns}), cell<"caused_error_s">(Nanoseconds{row.error_ns}),
        cell<"direct_s">(Nanoseconds{row.direct_ns}));
  }
  return context.waits.cause_rows().size();
}

void count_calls_without_waits(RowContext const& context, RunSummary& summary) {
  auto const count = [&](NoWaits why, std::uint64_t calls) {
    summary.no_waits[static_cast<std::size_t>(why)] += calls;
  };
  for (Record const& record : context.records) {
    Communicator const& comm = context.registry[record.key.comm()];
    if (calls::waits_for(record.key.op()) == calls::WaitsFor::nobody) continue;
    if (comm.is_folded) count(NoWaits::folded, record.calls);
    else if (comm.is_inter) count(NoWaits::intercommunicators, record.calls);
    else if (comm.size > 1 && !context.registry.has_same_members_on_all(comm)) count(NoWaits::other, record.calls);
  }
}

std::uint64_t write_window_rows(WindowSpan const& span, int first, int last, SummedWindows const& sums,
                                TextWriter& out) {
  char ranks[32];
  int const length = first == last ? std::snprintf(ranks, sizeof ranks, "%d", first)
                                   : std::snprintf(ranks, sizeof ranks, "%d-%d", first, last);
  std::uint64_t rows = 0, number = span.begin >> span.shift;
  for (WindowAmounts const& window : sums.all()) {
    Position const begin = std::clamp(number << span.shift, span.begin, span.end);
    Position const end = std::clamp((number + 1) << span.shift, span.begin, span.end);
    for (std::size_t kind = 0; kind < call_kinds; ++kind) {
      WindowAmount const& amount = window[kind];
      if ((amount.calls | amount.bytes | amount.time) == 0) continue;
      write_row<schema::when_columns>(out, cell<"rank">(std::string_view(ranks, static_cast<std::size_t>(length))),
                                      cell<"begin_s">(Nanoseconds{begin - span.begin}),
                                      cell<"end_s">(Nanoseconds{end - span.begin}), cell<"kind">(call_kind_names[kind]),
                                      cell<"calls">(amount.calls), cell<"bytes">(amount.bytes),
                                      cell<"mpi_s">(Nanoseconds{amount.time}));
      ++rows;
    }
    ++number;
  }
  return rows;
}

}  // namespace commprof
