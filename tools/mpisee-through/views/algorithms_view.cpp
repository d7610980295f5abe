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
