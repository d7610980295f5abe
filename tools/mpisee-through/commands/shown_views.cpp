#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "commands/show.hpp"
#include "profile/schema.hpp"
#include "summary/summary.hpp"
#include "text/terminal.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

// The document of what is made here: it keeps what its tables refer to.
template <class Made, class DocumentOf>
Document document_of(Made made, DocumentOf document_of_made) {
  auto const kept = std::make_shared<Made>(std::move(made));
  Document document = document_of_made(*kept);
  keep(document, kept);
  return document;
}

Document first_page_of(Profile const& profile, Request const& request) {
  return document_of(read_first_page(profile, request.selection, request.region_times), [&](FirstScreen const& screen) {
    Document document = first_page(screen, request.terminal);
    // Programs get a line for each communicator. With many of them that takes a third of the time.
    if (request.format() != Format::text) add_tables_for_programs(document, screen);
    return document;
  });
}

// lines_of_text: how many lines people see without --top.
template <class View>
Document view_of_summary(Profile const& profile, Request const& request, std::vector<CellList> const& lists, View view,
                         std::size_t lines_of_text = 0) {
  Summary summary = summarise(profile, request.selection, lists);
  bool const has_sites = std::ranges::any_of(lists, [](CellList const& one) { return (one.keys & by_site) != 0; });
  if (has_sites) summary.site_names->require();
  Arrangement arrangement = request.arrangement;
  if (request.format() == Format::text && !arrangement.top && lines_of_text > 0) arrangement.top = lines_of_text;
  return document_of(std::move(summary), [&](Summary const& made) { return view(made, arrangement); });
}

constexpr std::size_t lines_of_text = 100;

Document view_of_communicators(Profile const& profile, Request const& request) {
  return view_of_summary(profile, request, {{by_comm | by_op}}, communicators);
}

Document view_of_operations(Profile const& profile, Request const& request) {
  if (request.is_by("direction")) return view_of_summary(profile, request, {{by_comm | by_op}}, collectives);
  Keys const part = request.is_by("size") ? by_size : request.is_by("site") ? by_site : 0;
  return view_of_summary(
      profile, request, {{by_comm | by_op | part}},
      [part](Summary const& summary, Arrangement const& lines) { return operations(summary, part, lines); },
      lines_of_text);
}

Document view_of_sites(Profile const& profile, Request const& request) {
  return view_of_summary(profile, request, {{by_op | by_site}, {by_comm | by_op | by_site, CellList::With::totals}},
                         sites, lines_of_text);
}

Document view_of_ranks(Profile const& profile, Request const& request) {
  return document_of(
      summarise(profile, request.selection, {{by_rank, CellList::With::totals}}),
      [&](Summary const& summary) { return ranks(summary, request.arrangement, request.selection.has_whole_ranks()); });
}

Document view_of_waits(Profile const& profile, Request const& request) {
  WaitLines lines = WaitLines::operations;
  for (auto const& [word, of] :
       {std::pair("rank", WaitLines::ranks), {"pair", WaitLines::pairs}, {"cause", WaitLines::causes}})
    if (request.is_by(word)) lines = of;
  if (lines != WaitLines::operations)
    require_rows(profile, request.selection, fmt::format("--by {}", request.by.front()));
  struct Made {
    Summary summary;
    Waits waits;
    std::vector<Cause> causes;
  };
  Made made{
      summarise(profile, request.selection, {{by_comm | by_op}, {by_comm | by_op | by_site, CellList::With::totals}}),
      {},
      {}};
  made.waits = read_waits(profile, made.summary, request.selection, lines == WaitLines::ranks);
  bool const has_pairs = lines == WaitLines::operations || lines == WaitLines::pairs;
  if (has_pairs && profile.holds(commprof::schema::waits_by_pair))
    made.waits.pairs = read_waiting_pairs(profile, made.summary, request.selection);
  if (lines == WaitLines::causes) made.causes = read_causes(profile, made.summary);
  return document_of(std::move(made), [&](Made const& of) {
    return waiting(of.summary, of.waits, of.causes, request.arrangement, lines);
  });
}

Document view_of_algorithms(Profile const& profile, Request const& request) {
  require_rows(profile, request.selection, "--algorithms");
  return document_of(summarise(profile, request.selection, {{by_comm | by_op | by_size}}), [&](Summary const& summary) {
    return algorithms(summary, read_algorithms(profile, request.selection, summary), request.arrangement);
  });
}

Document view_of_messages(Profile const& profile, Request const& request) {
  bool const by_host = request.is_by("host");
  if (!by_host) require_rows(profile, request.selection, "--matrix without --by host");
  if (!request.treematch.empty()) check_no_part_of_profile(request.treematch, profile.directory());
  Traffic traffic = add_up_traffic(profile, request.selection, by_host, request.is_by("size"));
  if (!request.treematch.empty()) {
    OutputFile file(request.treematch);
    write_treematch(file.stream(), traffic, request.measure);
    file.close();
  }
  // A file or pager can show a matrix that is wider than a terminal.
  auto const width = request.terminal.has_width ? std::optional(request.terminal.width) : std::nullopt;
  return document_of(std::move(traffic), [&](Traffic const& made) {
    return messages(made, {request.measure, request.arrangement.top, width});
  });
}

Document view_of_regions(Profile const& profile, Request const& request) {
  require_rows(profile, request.selection, "--regions");
  Overview const overview = read_overview(profile, request.selection);
  return regions(overview, list_regions(profile, request.selection, overview), request.region_times,
                 request.arrangement);
}

Document view_over_time(Profile const& profile, Request const& request) {
  if (!has_windows(profile))
    return over_time(read_overview(profile, request.selection), nullptr, request.selection, request.terminal.width);
  return document_of(read_windows(profile, request.selection, read_overview(profile, request.selection), request.part),
                     [&](TimeWindows const& windows) {
                       return over_time(windows, &windows, request.selection, request.terminal.width);
                     });
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a table
std::span<ShownView const> shown_views() {
  std::string const selection(SelectionOptions::calls), ordered = selection + " --sort --top";
  static std::vector<ShownView> const views{
      {"", "", selection + " --exclusive", {}, first_page_of},
      {"--communicators",
       "A line for each communicator, below its parent; how many there\nare of each size",
       ordered,
       {},
       view_of_communicators},
      {"--operations", "Each call on each communicator", ordered, {"site", "size", "direction"}, view_of_operations},
      {"--sites", "A line for each place in the program that calls MPI", ordered, {}, view_of_sites},
      {"--ranks",
       "A line for each rank: time outside MPI and within it, the slow\nrank first; with --comm, --op …, the time in "
       "these calls",
       ordered,
       {},
       view_of_ranks},
      {"--algorithms",
       "Which algorithm the MPI used for each collective operation;\nneeds COMMPROF_INTERNAL=1",
       "--comm --op --region --top",
       {},
       view_of_algorithms},
      {"--waits",
       "How long ranks wait in collectives and for messages, for whom,\nand who causes it",
       "--comm --op --kind --rank --top",
       {"rank", "pair", "cause"},
       view_of_waits},
      {"--matrix",
       "Who talks to whom: a matrix of few ranks, the busiest pairs\nof many",
       "--comm --op --region --rank --size --top --from --to --class --weight --treematch",
       {"size", "host"},
       view_of_messages},
      {"--regions",
       "Named regions of the program, each below the one it is in,\nwith their efficiencies; inclusive of those inside",
       "--region --rank --sort --top --exclusive",
       {},
       view_of_regions},
      {"--when",
       "The run over time, a line for each rank: the share of MPI; the\nefficiencies of the job, window by window",
       "--kind --rank --during",
       {},
       view_over_time},
  };
  return views;
}

}  // namespace mpisee_through
