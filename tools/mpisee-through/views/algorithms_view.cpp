// The algorithm that the MPI used for each collective operation on each communicator.
#include <memory>
#include <optional>

#include "summary/algorithms.hpp"
#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

struct AlgorithmLine {
  Summary const* summary;
  AlgorithmSummary const* one;

  [[nodiscard]] CommunicatorSummary const& communicator() const { return summary->communicator(one->communicator); }
};

table::View<AlgorithmLine> view_of_algorithms() {
  std::vector<table::Column<AlgorithmLine>> columns{
      {"comm", "Communicator", Kind::name, [](AlgorithmLine const& line) { return line.communicator().name; }},
      {"comm_size", "Size", Kind::count, [](AlgorithmLine const& line) { return line.communicator().size; }},
      {"op", "Operation", Kind::name,
       [](AlgorithmLine const& line) { return line.summary->name_of(line.one->operation); }},
      {"sizes", "Bytes of a call", Kind::name,
       [](AlgorithmLine const& line) { return format_size_bin(line.one->sizes); }, In::people},
      {"size_min", "", Kind::bytes, [](AlgorithmLine const& line) { return line.one->sizes.min_bytes; }},
      {"size_max", "", Kind::bytes, [](AlgorithmLine const& line) { return line.one->sizes.max_bytes; }},
      {"operations", "Operations", Kind::count,
       [](AlgorithmLine const& line) { return line.one->calls > 0 ? std::optional(line.one->calls) : std::nullopt; }},
      {"algorithm", "Algorithm", Kind::name, [](AlgorithmLine const& line) { return line.one->algorithm; }},
      {"messages", "Messages", Kind::count, [](AlgorithmLine const& line) { return line.one->sent.messages; }},
      {"message_bytes", "Their bytes", Kind::bytes, [](AlgorithmLine const& line) { return line.one->sent.bytes; }}};
  auto const& cost = cost_columns();
  add_columns(columns,
              [](AlgorithmLine const& line) {
                return CallCosts{line.summary, &line.one->totals};
              },
              {cost.time_s.titled("Time"), cost.mpi_share.titled("MPI time"), cost.wall_share.titled("Of wall"),
               cost.time_mean_s.titled("A call")});
  return {.name = "algorithms", .columns = std::move(columns)};
}

table::Table table_of_algorithms(Summary const& summary, std::vector<AlgorithmSummary> const& algorithms,
                                 Arrangement const& arrangement, In in) {
  std::vector<AlgorithmLine> lines;
  for (AlgorithmSummary const& one : table::first_of(algorithms, arrangement.top)) lines.push_back({&summary, &one});
  table::Table table = table_of(view_of_algorithms(), std::move(lines));
  table.hidden = algorithms.size() - table.lines;
  table.in = in;
  return table;
}

}  // namespace

// People see the sizes of an operation together, as long as its algorithm is the same.
Document algorithms(Summary const& summary, std::vector<AlgorithmSummary> const& all, Arrangement const& arrangement) {
  struct Lists {
    std::vector<AlgorithmSummary> by_size, joined;
  };
  auto const lists = std::make_shared<Lists>(Lists{all, join_sizes(all)});
  Document document = document_of(summary);
  document.tables = {table_of_algorithms(summary, lists->by_size, arrangement, In::data),
                     table_of_algorithms(summary, lists->joined, arrangement, In::people)};
  table::Table& people = document.tables[1];
  people.if_empty =
      "The profile has no messages that the MPI sent for collectives: COMMPROF_INTERNAL=1 counts them "
      "(docs/algorithms.md).\n";
  if (!all.empty())
    people.below =
        "\nSettings of Open MPI and MPICH for other algorithms: docs/algorithms.md#trying-another-one; `mpisee-through "
        "compare` shows what one gains.\n";
  document.of = lists;
  return document;
}

}  // namespace mpisee_through
