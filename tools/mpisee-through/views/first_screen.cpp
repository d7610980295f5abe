#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "files/visible_text.hpp"
#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/job_view.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

// Limits that keep the page at about 50 lines on a terminal of 80 columns.
constexpr std::size_t most_regions = 4;
constexpr std::size_t most_communicators = 6;
constexpr std::size_t longest_bar = 40;

// The width that a table's columns of numbers leave for the column of names.
std::size_t room_for_name(Terminal const& terminal, std::size_t further_columns = 0) {
  std::size_t const numbers = 52 + further_columns;
  return terminal.width - std::min(terminal.width, numbers);
}

void print_run(std::ostream& out, Overview const& overview, Terminal const& terminal) {
  Run const& run = overview.run;
  std::string const ranks =
      overview.selected_ranks == run.ranks
          ? format_number_of(run.ranks, "rank")
          : fmt::format("{} of {}", format_count(overview.selected_ranks), format_number_of(run.ranks, "rank"));
  std::string const command = shorten(command_of(run), terminal.width);
  std::string const facts =
      fmt::format("{} on {}, {}{}{}", ranks, format_number_of(overview.hosts, "host"), wall_in_words(run),
                  run.mpi_library.empty() ? "" : ", " + shorten(run.short_library(), 32),
                  run.start.empty() ? "" : ", " + run.start);
  bool const is_one_line = display_width(command) + display_width(facts) + 2 <= terminal.width;
  out << terminal.bold(command) << (is_one_line ? ": " : "\n") << (is_one_line ? facts : shorten(facts, terminal.width))
      << '\n';
  for (Note const& note : parent_of(run)) out << line_of(note);
  for (auto const& [label, text] : threads_of(overview))
    out << fmt::format("{:<10} {}\n", label, wrap(text, terminal.width, 11));
  for (Note const& note : gaps_of(run)) out << line_of(note);
}

// The title says which times the regions have.
std::string title_of_efficiencies(FirstScreen const& screen, Terminal const& terminal) {
  if (screen.regions.empty()) return "Efficiency";
  std::string const times = screen.region_times == RegionTimes::inclusive ? "inclusive" : "exclusive";
  std::string const title = "Efficiency, " + times;
  return display_width(title) <= room_for_name(terminal) ? title : times;
}

// The factor of processors is shown where it costs something.
table::View<EfficiencyLine> view_of_efficiencies(std::string title, Efficiency const& whole, Terminal const& terminal) {
  constexpr double nearly_all = 0.995;
  auto const& of = efficiency_columns();
  auto const factor = [&](char const* name) { return fmt::format("{} {}", terminal.utf8 ? "×" : "x", name); };
  std::vector<table::Column<EfficiencyLine>> columns{{"name", std::move(title), Kind::name, &EfficiencyLine::name}};
  add_columns(columns, &EfficiencyLine::efficiency,
              {of.parallel.titled("Parallel"), of.load_balance.titled("= Balance"),
               of.processors.titled(whole.processors().value_or(1) < nearly_all ? factor("Proc.") : ""),
               of.communication.titled(factor("Comm."))});
  columns.push_back({"mpi_share", "In MPI", Kind::share, &EfficiencyLine::mpi_share});
  add_columns(columns, &EfficiencyLine::efficiency, {of.wall_max_s.titled("Longest")});
  return {.name = "efficiencies", .columns = std::move(columns)};
}

// The two factors of communication efficiency, if they are known.
void print_factors(std::ostream& out, FirstScreen const& screen, Terminal const& terminal) {
  Efficiency const& whole = screen.summary.efficiency;
  if (!whole.serialisation() || !whole.transfer()) return;
  auto const factor = [&](double share) {
    auto const relative = whole.relative_error();
    return format_share(share, relative ? std::optional(*relative * share) : std::nullopt);
  };
  std::string const text =
      fmt::format("Comm. is serialisation {} {} transfer {}{}, estimated.", factor(*whole.serialisation()),
                  terminal.utf8 ? "×" : "x", factor(*whole.transfer()),
                  ProcessorWaits(screen.summary).of_calls() > 0.5 ? " (mostly for lack of processors)" : "");
  out << wrap(text, terminal.width, 0) << '\n';
}

// The whole run, and its longest regions.
table::Table table_of_efficiencies(FirstScreen const& screen, Terminal const& terminal) {
  std::vector<EfficiencyLine> lines = efficiency_lines(screen);
  std::size_t const shown = std::min(lines.size(), most_regions + 1), hidden = lines.size() - shown;
  lines.resize(shown);
  for (std::size_t i = 1; i < shown; ++i) lines[i].name = "  " + shorten(lines[i].name, room_for_name(terminal) - 2);
  std::ostringstream below;
  if (!lines.empty()) print_factors(below, screen, terminal);
  if (hidden > 0) below << terminal.dim(fmt::format("  and {}: --regions", format_number_of(hidden, "region"))) << '\n';
  table::Table table =
      table_of(view_of_efficiencies(title_of_efficiencies(screen, terminal), screen.summary.efficiency, terminal),
               std::move(lines));
  table.below = std::move(below).str();
  table.in = In::text;
  return table;
}

// Whether the table has a column for waiting: it must be known, and narrow terminals have no room for it.
constexpr std::size_t width_of_waits = 16;
bool shows_waits(FirstScreen const& screen, Terminal const& terminal) {
  return !screen.waits.operations.empty() && room_for_name(terminal, width_of_waits) >= 8;
}

// room: the width of names.
table::View<CommunicatorLine> view_of_costs(std::size_t room, bool has_waits) {
  auto const& comm = communicator_columns();
  std::vector<table::Column<CommunicatorLine>> columns{
      {"name", "Communicator", Kind::name, [room](CommunicatorLine const& line) { return shorten(line.name(), room); }},
      comm.size.titled("Size")};
  columns.insert(columns.end(), {comm.rank_mean_s.titled("Mean"), comm.rank_min_s.titled("Min"),
                                 comm.rank_max_s.titled("Max"), comm.wait_share.titled(has_waits ? "Waiting" : "")});
  add_columns(columns, &CommunicatorLine::costs, {cost_columns().mpi_share.titled("MPI time")});  // bars follow it
  return {.name = "communicators", .columns = std::move(columns)};
}

// The costliest communicators, as many as there is room for.
table::Table table_of_costs(FirstScreen const& screen, Terminal const& terminal, std::size_t most) {
  Summary const& summary = screen.summary;
  auto lines = joined_by_maker(summary, arrange_communicators(summary, {}, Include::with_operations));
  sort_by_amount(lines, SortKey::time, &CommunicatorLine::totals);
  std::vector<double> shares;
  double rest = 0;
  std::size_t hidden = 0;
  for (CommunicatorLine& line : lines) {
    double const share = summary.share_of_mpi(line.totals).value_or(0);
    for (CommunicatorIndex const index : line.members)
      if (auto const its_s = screen.waits.wait_s_on(index)) line.wait_s = line.wait_s.value_or(0) + *its_s;
    if (shares.size() < most) {
      shares.push_back(share);
    } else {
      rest += share;
      hidden += line.members.size();
    }
  }
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(shares.size()), lines.end());
  bool const has_waits = shows_waits(screen, terminal);
  table::Table table =
      table_of(view_of_costs(room_for_name(terminal, has_waits ? width_of_waits : 0), has_waits), std::move(lines));
  table.if_empty = why_no_calls(summary.run);
  table.behind = [shares = std::move(shares), terminal](std::size_t line, std::size_t room) {
    std::string const bar = terminal.bar(shares[line], std::min(room, longest_bar));
    return bar.empty() ? bar : terminal.cyan(bar);
  };
  if (hidden > 0)
    table.below = terminal.dim(fmt::format("and {} more with {} of the MPI time: --communicators", format_count(hidden),
                                           format_share(rest))) +
                  "\n";
  table.in = In::text;
  return table;
}

void print_highlights(std::ostream& out, std::vector<Highlight> const& shown, Terminal const& terminal) {
  if (!shown.empty()) out << '\n';
  constexpr std::size_t indent = 13;
  for (auto const& [label, text] : shown)
    out << terminal.bold(fmt::format("{:<{}}", label, indent)) << wrap(text, terminal.width, indent) << '\n';
}

void print_findings(std::ostream& out, FirstScreen const& screen, Terminal const& terminal) {
  if (screen.findings.empty()) {
    constexpr std::string_view label = "No findings";
    std::string const reason = ": " + reason_for_no_findings(screen);
    out << '\n' << terminal.bold(label) << wrap(reason, terminal.width, label.size()) << '\n';
    return;
  }
  bool const may_overlap = screen.has_efficiencies && screen.findings.size() > 1;
  out << '\n' << terminal.bold("What to change") << (may_overlap ? " (savings overlap)" : "") << '\n';
  double const wall_s = screen.summary.efficiency.wall_max_s();
  for (std::size_t i = 0; i < screen.findings.size(); ++i) {
    Finding const& finding = screen.findings[i];
    std::string const saving = saving_in_words(finding, wall_s);
    out << terminal.yellow(fmt::format("{}.", i + 1)) << ' ' << wrap(finding.fact, terminal.width, 3) << '\n';
    out << "   Try:  " << wrap(finding.advice + (saving.empty() ? "" : " " + saving), terminal.width, 9) << '\n';
    out << "   More: " << terminal.cyan("mpisee-through " + arguments_of(finding, screen)) << '\n';
    if (!finding.note.empty()) out << "   Note: " << wrap(finding.note, terminal.width, 9) << '\n';
    for (Finding const& consequence : finding.consequences) {
      std::string const label = fmt::format("   {}: ", link_in_words(consequence));
      out << label << wrap(short_fact(consequence), terminal.width, label.size()) << '\n';
    }
  }
}

void print_state(std::ostream& out, FirstScreen const& screen, Terminal const& terminal) {
  std::string const title = title_of_state(screen.summary.run);
  if (!title.empty()) out << '\n' << terminal.bold(title) << '\n' << lines_of_state(screen, terminal);
}

}  // namespace

std::string title_of_state(Run const& run) {
  if (!run.unfinished || !run.unfinished->state) return {};
  Situation const& state = *run.unfinished->state;
  return state.is_over() ? "When it ended" : "What its files say: " + describe_processes(state);
}

std::string lines_of_state(FirstScreen const& screen, Terminal const& terminal) {
  Run const& run = screen.summary.run;
  if (!run.unfinished || !run.unfinished->state) return {};
  std::ostringstream out;
  print_groups(out, *run.unfinished->state, screen.lines, terminal);
  return out.str();
}

Document first_page(FirstScreen const& screen, Terminal const& terminal) {
  Document document = document_of(screen.summary);
  std::ostringstream head, verdict, changes, end;
  print_run(head, screen.summary, terminal);
  print_state(head, screen, terminal);
  bool const has_calls = !screen.summary.run.has_no_calls();
  if (std::string text = describe_verdict(screen); has_calls && !text.empty())
    print_highlights(verdict, {{"Verdict", std::move(text)}}, terminal);
  if (has_calls) print_findings(changes, screen, terminal);
  if (screen.has_account()) {
    document.tables.push_back(table_of_account(screen.summary, terminal));
    document.tables.back().below = std::move(verdict).str();
    table::Table waited_for = table_of_waited_for(screen, terminal);
    if (waited_for.lines > 0) document.tables.push_back(std::move(waited_for));
    document.tables.back().below += std::move(changes).str();
    for (table::Table& one : document.tables) one.in = In::text;
  } else {
    head << verdict.str() << changes.str();
  }
  document.head = {{"", std::move(head).str()}};
  if (screen.has_efficiencies) document.tables.push_back(table_of_efficiencies(screen, terminal));
  table::Table costs = table_of_costs(screen, terminal, most_communicators);
  if (has_calls) print_highlights(end, highlights(screen), terminal);
  costs.below += std::move(end).str();
  document.tables.push_back(std::move(costs));
  return document;
}

Document efficiencies_for_page(FirstScreen const& screen) {
  constexpr std::size_t most_lines = 1000;
  Document document;
  std::vector<EfficiencyLine> lines = efficiency_lines(screen);
  if (lines.size() > most_lines) lines.resize(most_lines);
  table::View<EfficiencyLine> view = view_of_efficiencies("Region", screen.summary.efficiency, Terminal{.utf8 = true});
  auto const& of = efficiency_columns();
  add_columns(view.columns, &EfficiencyLine::efficiency,
              {of.serialisation.titled("Serialisation"), of.transfer.titled("Transfer")});
  document.tables.push_back(table_of(view, std::move(lines)));
  document.tables.back().noun = "region";
  return document;
}

table::Table costs_for_page(FirstScreen const& screen) {
  constexpr std::size_t most_families = 20;
  table::Table table =
      table_of_costs(screen, {.width = std::numeric_limits<std::size_t>::max(), .utf8 = true}, most_families);
  table.in = In::page;
  table.title = "Most time; communicators of one call site are a line";
  table.noun = "communicator";
  table.below.clear();
  return table;
}

}  // namespace mpisee_through
