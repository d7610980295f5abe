// The algorithm that the MPI used for each collective operation on each communicator.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "calls/rules.hpp"
#include "summary/operation_kind.hpp"
#include "summary/other_algorithms.hpp"
#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

// Whether a collective call combines the operands of all ranks, in contrast to a scan.
bool reduces_all(commprof::calls::Row const& row) {
  return is_collective(row) && has_parameter(row, "op") && rule_of(row).flow != commprof::calls::Flow::to_later;
}

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

// A setting that chooses another algorithm.
struct Choice {
  std::string comm, op, instead_of, algorithm, environment;
};

table::View<Choice> view_of_choices() {
  return {.name = "to_try",
          .columns = {{"comm", "", Kind::name, &Choice::comm},
                      {"op", "", Kind::name, &Choice::op},
                      {"instead_of", "", Kind::name, &Choice::instead_of},
                      {"algorithm", "", Kind::name, &Choice::algorithm},
                      {"environment", "", Kind::name, &Choice::environment}}};
}

std::vector<Choice> choices_of(Summary const& summary, std::optional<AlgorithmToReplace> const& replaced) {
  std::vector<Choice> choices;
  if (!replaced) return choices;
  for (auto const& [value, algorithm] : replaced->others.choices)
    choices.push_back({summary.communicator(replaced->now.communicator).name, summary.name_of(replaced->now.operation),
                       replaced->now.algorithm, std::string(algorithm),
                       fmt::format("{}{}", replaced->others.environment, value)});
  return choices;
}

std::string what_to_try(Summary const& summary, AlgorithmToReplace const& replaced) {
  std::string choices;
  for (auto const& [value, algorithm] : replaced.others.choices)
    choices += fmt::format("{}{} ({})", choices.empty() ? "" : ", ", value, algorithm);
  AlgorithmSummary const& now = replaced.now;
  std::string text = fmt::format(
      "\nTo try another algorithm for {}, which takes {} of the MPI time on {} by {}, set\n"
      "  {}VALUE\n"
      "where VALUE is {}; `mpisee-through compare` shows what it gains.\n",
      summary.name_of(now.operation), format_share(summary.share_of_mpi(now.totals)),
      summary.communicator(now.communicator).name, now.algorithm, replaced.others.environment, choices);
  // Open MPI takes the algorithm that is set; MPICH looks at the operator first.
  if (!replaced.others.environment.starts_with("OMPI_") || !holds(summary.name_of(now.operation), reduces_all))
    return text;
  return text + "With operators that do not commute (MPI_Op_create with 0), results can be wrong then.\n";
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
  auto const replaced = algorithm_to_replace(summary, lists->joined);
  Document document = document_of(summary);
  document.tables = {table_of_algorithms(summary, lists->by_size, arrangement, In::data),
                     table_of_algorithms(summary, lists->joined, arrangement, In::people),
                     table_of(view_of_choices(), choices_of(summary, replaced))};
  table::Table& people = document.tables[1];
  people.if_empty =
      "The profile has no messages that the MPI sent for collectives: COMMPROF_INTERNAL=1 counts them "
      "(docs/algorithms.md).\n";
  if (replaced) people.below = what_to_try(summary, *replaced);
  document.tables[2].in = In::json;
  document.of = lists;
  return document;
}

}  // namespace mpisee_through
