#include "views/algorithms_view.hpp"

#include <fmt/format.h>

#include <optional>

#include "calls/rules.hpp"
#include "summary/operation_kind.hpp"
#include "summary/other_algorithms.hpp"
#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using table::Kind, table::only_text, table::picks;

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
       [](AlgorithmLine const& line) { return format_size_bin(line.one->sizes); }, only_text},
      {"size_min", "", Kind::bytes, [](AlgorithmLine const& line) { return line.one->sizes.min_bytes; }},
      {"size_max", "", Kind::bytes, [](AlgorithmLine const& line) { return line.one->sizes.max_bytes; }},
      {"operations", "Operations", Kind::count,
       [](AlgorithmLine const& line) { return line.one->calls > 0 ? std::optional(line.one->calls) : std::nullopt; }},
      {"algorithm", "Algorithm", Kind::name, [](AlgorithmLine const& line) { return line.one->algorithm; }},
      {"messages", "Messages", Kind::count, [](AlgorithmLine const& line) { return line.one->sent.messages; }},
      {"message_bytes", "Their bytes", Kind::bytes, [](AlgorithmLine const& line) { return line.one->sent.bytes; }}};
  add_columns(
      columns, cost_columns(),
      [](AlgorithmLine const& line) {
        return std::optional(CallCosts{line.summary, &line.one->totals});
      },
      picks("time_s=Time, mpi_share=MPI time, wall_share=Of wall, time_mean_s=A call"));
  return {.name = "algorithms", .columns = std::move(columns)};
}

// What to set for another algorithm; null if nothing is known.
Json to_try(Summary const& summary, std::optional<AlgorithmToReplace> const& replaced) {
  if (!replaced) return {};
  Json choices = Json::array();
  for (auto const& [value, algorithm] : replaced->others.choices)
    choices.push_back({{"algorithm", algorithm}, {"environment", replaced->others.environment + value}});
  return {{"comm", summary.communicator(replaced->now.communicator).name},
          {"op", summary.name_of(replaced->now.operation)},
          {"algorithm", replaced->now.algorithm},
          {"choices", std::move(choices)}};
}

void say_what_to_try(std::ostream& out, Summary const& summary, AlgorithmToReplace const& replaced) {
  std::string choices;
  for (auto const& [value, algorithm] : replaced.others.choices)
    choices += fmt::format("{}{} ({})", choices.empty() ? "" : ", ", value, algorithm);
  AlgorithmSummary const& now = replaced.now;
  out << fmt::format(
      "\nTo try another algorithm for {}, which takes {} of the MPI time on {} by {}, set\n"
      "  {}VALUE\n"
      "where VALUE is {}; `mpisee-through compare` shows what it gains.\n",
      summary.name_of(now.operation), format_share(summary.share_of_mpi(now.totals)),
      summary.communicator(now.communicator).name, now.algorithm, replaced.others.environment, choices);
  // Open MPI takes the algorithm that is set; MPICH looks at the operator first.
  if (replaced.others.environment.starts_with("OMPI_") && holds(summary.name_of(now.operation), reduces_all))
    out << "With operators that do not commute (MPI_Op_create with 0), results can be wrong then.\n";
}

}  // namespace

void show(std::ostream& out, Summary const& summary, std::vector<AlgorithmSummary> const& algorithms, Format format,
          Arrangement const& arrangement) {
  bool const is_data = format == Format::csv || format == Format::json;
  std::vector<AlgorithmSummary> const shown = is_data ? algorithms : join_sizes(algorithms);
  std::vector<AlgorithmLine> lines;
  for (AlgorithmSummary const& one : table::first_of(shown, arrangement.top)) lines.push_back({&summary, &one});
  auto const view = view_of_algorithms();
  auto const replaced = algorithm_to_replace(summary, join_sizes(algorithms));
  AroundTable around = around_tables(summary);
  around.members = [&, members = around.members] {
    Json all = members();
    all["to_try"] = to_try(summary, replaced);
    return all;
  };
  around.if_empty =
      "The profile has no messages that the MPI sent for collectives: COMMPROF_INTERNAL=1 counts them "
      "(docs/algorithms.md).\n";
  around.below = [&](std::ostream& text) {
    table::say_hidden(text, shown.size() - lines.size(), "line");
    if (replaced) say_what_to_try(text, summary, *replaced);
  };
  show(out, format, table_of(view, lines), around);
}

}  // namespace mpisee_through
