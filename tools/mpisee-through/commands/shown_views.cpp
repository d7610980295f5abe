#include "commands/shown_views.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "summary/summarise.hpp"
#include "views/algorithms_view.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

// Moves it to the question's owner.
template <class T>
T& keep(std::shared_ptr<void>& kept, T made) {
  auto const shared = std::make_shared<T>(std::move(made));
  kept = shared;
  return *shared;
}

// The arrangement of the request, widened to the terminal.
Arrangement arrangement_for(Request const& request, Terminal const& terminal) {
  Arrangement arrangement = request.arrangement;
  arrangement.width = std::max(arrangement.width, terminal.width);
  return arrangement;
}

// Limits a matrix to the terminal's width. A file or pager can show a wider one.
std::optional<std::size_t> width_of_matrix(Request const& request, Terminal const& terminal) {
  return terminal.is_terminal || request.width ? std::optional(terminal.width) : std::nullopt;
}

void show_first_page(std::ostream& out, Question const& question) {
  auto const& [profile, request, terminal, kept] = question;
  show(out, keep(kept, read_first_page(profile, request.selection, request.region_times)), request.format, terminal);
}

template <void (*show_view)(std::ostream&, Format, Summary const&, Arrangement const&)>
void show_summary(std::ostream& out, Question const& question) {
  auto const& [profile, request, terminal, kept] = question;
  Summary& summary = keep(kept, summarise(profile, request.selection, request.detail));
  if (request.detail.by_site) summary.site_names->require();
  if (request.times) keep_operations(summary, *request.times);
  show_view(out, request.format, summary, arrangement_for(request, terminal));
}

void show_ranks(std::ostream& out, Question const& question) {
  auto const& [profile, request, terminal, kept] = question;
  auto const summary = summarise(profile, request.selection, Detail::ranks);
  bool const has_rows = has_rows_of(profile.run(), request.selection);
  auto const detail = has_rows ? WaitDetail::ranks : WaitDetail::operations;
  show(out, summary, read_known_waits(profile, summary, request.selection, detail), request.format,
       RanksLayout{arrangement_for(request, terminal), request.selection.has_whole_ranks()});
}

void show_waits(std::ostream& out, Question const& question) {
  auto const& [profile, request, terminal, kept] = question;
  auto const summary = summarise(profile, request.selection, Detail::main_sizes);
  WaitLines const lines = request.wait_lines;
  if (lines == WaitLines::ranks) require_rows(profile, request.selection, "--by-rank");
  if (lines == WaitLines::pairs) require_rows(profile, request.selection, "--by-pair");
  if (lines == WaitLines::causes) require_rows(profile, request.selection, "--by-cause");
  auto const waits = read_waits(profile, summary, request.selection,
                                lines == WaitLines::ranks ? WaitDetail::ranks : WaitDetail::pairs);
  auto const causes =
      lines == WaitLines::causes ? read_causes(profile, summary, request.selection) : std::vector<Cause>();
  show(out, summary, waits, causes, request.format, arrangement_for(request, terminal), lines);
}

void show_algorithms(std::ostream& out, Question const& question) {
  auto const& [profile, request, terminal, kept] = question;
  require_rows(profile, request.selection, "--algorithms");
  auto const summary = summarise(profile, request.selection, Detail::message_sizes);
  show(out, summary, read_algorithms(profile, request.selection, summary), request.format,
       arrangement_for(request, terminal));
}

void show_traffic(std::ostream& out, Question const& question) {
  auto const& [profile, request, terminal, kept] = question;
  if (!request.by_host) require_rows(profile, request.selection, "--matrix without --by-host");
  check_matrix_files(request.matrix_files, profile.directory());
  auto const add_up = request.by_host ? add_up_traffic_by_host : add_up_traffic;
  Traffic const traffic = add_up(profile, request.selection, request.detail);
  write_matrix_files(request.matrix_files, traffic, request.measure, describe(request.selection));
  if (request.only_files) return;
  show(out, traffic, request.format, {request.measure, request.arrangement.top, width_of_matrix(request, terminal)});
}

void show_regions(std::ostream& out, Question const& question) {
  auto const& [profile, request, terminal, kept] = question;
  require_rows(profile, request.selection, "--regions");
  show(out, add_up_regions(profile, request.selection), request.format,
       {request.region_times, arrangement_for(request, terminal)});
}

void show_when(std::ostream& out, Question const& question) {
  auto const& [profile, request, terminal, kept] = question;
  if (!has_windows(profile)) return show_no_windows(out, read_overview(profile, request.selection), request.format);
  show(out, read_windows(profile, request.selection, request.part), request.format,
       {request.selection, terminal.width});
}

}  // namespace

std::span<ShownView const> shown_views() {
  static std::vector<ShownView> const views{
      {"--communicators", "A line for each communicator; how many there are of each\nsize, by the call that made them",
       show_summary<show_communicators>},
      {"--census", "Only how many communicators there are of each size", show_summary<show_census>},
      {"--tree", "Hierarchy of communicators, one a line", show_summary<show_tree>},
      {"--operations", "Each call on each communicator", show_summary<show_operations>},
      {"--sites", "A line for each place in the program that calls MPI", show_summary<show_sites>},
      {"--ranks",
       "A line for each rank: time outside MPI and within it, the slow\nrank first; with --comm, --op …, the time in "
       "these calls",
       show_ranks},
      {"--collectives", "One-to-all, all-to-one and all-to-all operations of each\ncommunicator",
       show_summary<show_collectives>},
      {"--algorithms",
       "Which algorithm the MPI used for each collective operation, and\nhow to try another; needs COMMPROF_INTERNAL=1",
       show_algorithms},
      {"--waits", "How long ranks wait in collectives and for messages, for whom,\nand who causes it", show_waits},
      {"--matrix", "Who talks to whom: a matrix of few ranks, the busiest pairs\nof many", show_traffic},
      {"--regions",
       "Named regions of the program, each below the one it is in,\nwith their efficiencies; inclusive of those inside",
       show_regions},
      {"--when",
       "The run over time, a line for each rank: the share of MPI; the\nefficiencies of the job, window by window",
       show_when},
  };
  return views;
}

ShownView const* find_view(std::string_view option) {
  return &*std::ranges::find(shown_views(), option, &ShownView::option);
}

void answer(std::ostream& out, Question const& question) {
  ShownView const* const view = question.request.view;
  (view == nullptr ? show_first_page : view->answer)(out, question);
}

}  // namespace mpisee_through
