// The algorithm that the MPI used for each collective operation on each communicator.
#include <optional>

#include "summary/algorithms.hpp"
#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

table::View<AlgorithmSummary> view_of_algorithms(Summary const& summary) {
  using Line = AlgorithmSummary;
  auto const comm = [&](Line const& one) -> CommunicatorSummary const& {
    return summary.communicator(one.communicator);
  };
  std::vector<table::Column<Line>> columns{
      {"comm", "Communicator", Kind::name, [comm](Line const& one) { return comm(one).name; }},
      {"comm_size", "Size", Kind::count, [comm](Line const& one) { return comm(one).size; }},
      {"op", "Operation", Kind::name, [&](Line const& one) { return summary.name_of(one.operation); }},
      {"sizes", "Bytes of a call", Kind::name, [](Line const& one) { return format_size_bin(one.sizes); }, In::people},
      {"size_min", "", Kind::bytes, [](Line const& one) { return one.sizes.min_bytes; }},
      {"size_max", "", Kind::bytes, [](Line const& one) { return one.sizes.max_bytes; }},
      {"operations", "Operations", Kind::count,
       [](Line const& one) { return one.calls > 0 ? std::optional(one.calls) : std::nullopt; }},
      {"algorithm", "Algorithm", Kind::name, &Line::algorithm},
      {"messages", "Messages", Kind::count, [](Line const& one) { return one.sent.messages; }},
      {"message_bytes", "Their bytes", Kind::bytes, [](Line const& one) { return one.sent.bytes; }}};
  auto const& cost = cost_columns();
  add_columns(columns, costs_of<Line>(summary),
              {cost.time_s.titled("Time"), cost.mpi_share.titled("MPI time"), cost.wall_share.titled("Of wall"),
               cost.time_mean_s.titled("A call")});
  return {.name = "algorithms", .columns = std::move(columns)};
}

// Neighbouring sizes with one algorithm become one.
std::vector<AlgorithmSummary> join_sizes(std::vector<AlgorithmSummary> const& algorithms) {
  std::vector<AlgorithmSummary> joined;
  for (AlgorithmSummary const& one : algorithms) {
    AlgorithmSummary* const last = joined.empty() ? nullptr : &joined.back();
    if (last == nullptr || last->communicator != one.communicator || last->operation != one.operation ||
        last->algorithm != one.algorithm) {
      joined.push_back(one);
      continue;
    }
    last->sizes.max_bytes = one.sizes.max_bytes;
    last->totals += one.totals;
    last->calls = last->calls == 0 || one.calls == 0 ? 0 : last->calls + one.calls;
    last->sent += one.sent;
  }
  return joined;
}

}  // namespace

// People see the sizes of an operation together, as long as its algorithm is the same.
Document algorithms(Summary const& summary, std::vector<AlgorithmSummary> const& all, Arrangement const& arrangement) {
  Document document = document_of(summary);
  document.tables = {table_of(view_of_algorithms(summary), all, arrangement.top),
                     table_of(view_of_algorithms(summary), join_sizes(all), arrangement.top)};
  document.tables[0].in = In::data;
  table::Table& people = document.tables[1];
  people.in = In::people;
  people.if_empty =
      "The profile has no messages that the MPI sent for collectives: COMMPROF_INTERNAL=1 counts them "
      "(docs/algorithms.md).\n";
  if (!all.empty())
    people.below =
        "\nSettings of Open MPI and MPICH for other algorithms: docs/algorithms.md#trying-another-one; `mpisee-through "
        "compare` shows what one gains.\n";
  return document;
}

}  // namespace mpisee_through
