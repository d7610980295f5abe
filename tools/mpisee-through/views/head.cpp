#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "base/dropped.hpp"
#include "text/units.hpp"
#include "views/views.hpp"
#include "waiting/situation.hpp"

namespace mpisee_through {
namespace {

std::string ranks(Overview const& overview) {
  if (overview.selected_ranks == overview.run.ranks) {
    return fmt::format("{} on {}", format_count(overview.run.ranks), format_number_of(overview.hosts, "host"));
  }
  return fmt::format("{} of {} selected, on {}", format_count(overview.selected_ranks),
                     format_count(overview.run.ranks), format_number_of(overview.hosts, "host"));
}

std::string share_of_mpi(Overview const& overview) {
  bool const has_threads = overview.threads_wall_s > overview.wall_s;
  return fmt::format("{} of the time: {} of {}, summed over {}{}", format_share(overview.mpi_share()),
                     format_seconds(overview.mpi_s), format_seconds(overview.threads_wall_s),
                     format_number_of(overview.selected_ranks, "rank"), has_threads ? " and their threads" : "");
}

// What it means that so many things share a row, or have no known waiting.
struct Gap {
  std::string_view kind, noun, words;
};
constexpr Gap gaps[]{
    {"communicators", "communicator", "{} in rows of several, with names like W_d* (COMMPROF_MAX_COMMS)"},
    {"regions", "time", "processes entered regions that count as the one around them {}"},
    {"sites", "time", "threads met call sites that share a row {}"},
    {"folded", "call", "{} on communicators that share a record"},
    {"intercommunicators", "call", "{} on intercommunicators"},
    {"incomplete", "instance", "{} that not all ranks have a record of"},
    {"disagreeing", "call", "{} after one that failed on some ranks only"}};

// What is missing, for each kind that the library counts.
constexpr Gap dropped[]{
    {"records", "call", "{} did not count, for lack of memory"},
    {"communicators", "communicator", "{} without a row of its own, for lack of memory"},
    {"requests", "request", "{} not followed to the end, for lack of memory"},
    {"calls_on_unknown_communicators", "call", "{} without a known communicator; mostly, they failed"},
    {"receives_freed", "receive", "{} freed by the program, with bytes that are not known"},
    {"requests_unfinished", "request", "{} not complete when the profile was written"},
    {"sends_cancelled", "send", "{} cancelled later, but counted with its bytes"},
    {"region_ends_ignored", "end", "{} of a region that was not the innermost one"},
    {"messages", "message", "{} missing between pairs of ranks, for lack of memory"},
    {"times", "call", "{} counted without its time, because the clock went back"},
    {"regions_left_open", "region", "{} open until the end"},
    {"communicator_names", "communicator", "{} that ranks may have numbered differently, because a creation failed"},
    {"requests_given_up", "request", "{} given up, the oldest of too many that no call has completed"}};
static_assert(std::ranges::all_of(commprof::dropped::names, [](std::string_view kind) {
  return std::ranges::find(dropped, kind, &Gap::kind) != std::end(dropped);
}));

std::string describe(std::span<Gap const> known, std::string const& kind, std::uint64_t count) {
  auto const gap = std::ranges::find(known, kind, &Gap::kind);
  if (gap == known.end()) return fmt::format("{}: {}", kind, format_count(count));
  return fmt::format(fmt::runtime(gap->words), format_number_of(count, gap->noun));
}

// The facts of a run that ended irregularly.
std::vector<Note> facts_of_unfinished(Run const& run) {
  if (!run.unfinished) return {};
  std::string const end = run.is_longer() ? "" : fmt::format(" after {}", format_seconds(run.wall_s));
  double const last_s = run.unfinished->last_record_s;
  std::string const last = last_s > 0 ? fmt::format("last known call after {}", format_seconds(last_s))
                                      : "no call of MPI is known to have ended";
  std::vector<Note> facts{{"Unfinished", fmt::format("{}{}; {}", run.unfinished->how(), end, last)}};
  if (double const in_calls_s = run.unfinished->in_calls_s; in_calls_s > 0)
    facts.back().text += fmt::format("; calls that did not end take {}", format_seconds(in_calls_s));
  std::string const& on_nodes = run.unfinished->on_nodes;
  std::string const where = on_nodes.empty() ? "" : fmt::format(", unless their nodes have it in {}", on_nodes);
  if (!run.unfinished->missing.empty())
    facts.emplace_back("Missing", fmt::format("ranks {}: nothing is known of them{}",
                                              shorten_members(run.unfinished->missing.to_string()), where));
  if (RankSet const& unknown = run.unfinished->queues_unknown; !unknown.empty())
    facts.emplace_back("Unknown", fmt::format("how long ranks {} waited for a processor; they may have had to share it",
                                              shorten_members(unknown.to_string())));
  for (std::string const& problem : run.unfinished->problems) facts.emplace_back("Damaged", problem);
  return facts;
}

Json left_out(std::optional<Run::LeftOut> const& what) {
  return what ? Json{{"only", what->only}, {"without", what->without}} : Json();
}

}  // namespace

std::string wall_in_words(Run const& run) {
  return fmt::format("{}{}", run.is_longer() ? "at least " : "", format_seconds(run.wall_s));
}

std::string_view why_no_calls(Run const& run) {
  if (run.has_no_calls() && run.unfinished)
    return "No rank that is known had begun a call of MPI when the run ended.\n";
  return run.has_no_calls()
             ? "No MPI call was counted between MPI_Init and MPI_Finalize: the program made none, or they\n"
               "bypassed the profiler (docs/front.md says how).\n"
             : "No calls in this selection.\n";
}

std::vector<Note> head_of(Overview const& overview) {
  Run const& run = overview.run;
  std::vector<Note> head{{"Profile", overview.profile}, {"Program", command_of(run)}};
  auto const add = [&](std::vector<Note> const& notes) { head.insert(head.end(), notes.begin(), notes.end()); };
  if (!run.mpi_library.empty())
    head.emplace_back("Library", run.mpi_version.empty()
                                     ? run.mpi_library
                                     : fmt::format("{} (MPI {})", run.mpi_library, run.mpi_version));
  head.emplace_back("Ranks", ranks(overview));
  add(parent_of(run));
  if (!run.start.empty()) head.emplace_back("Start", run.start);
  head.emplace_back("Wall time", wall_in_words(run));
  head.emplace_back("MPI", share_of_mpi(overview));
  add(threads_of(overview));
  add(gaps_of(run));
  return head;
}

std::vector<Note> parent_of(Run const& run) {
  if (run.parent_comm.empty()) return {};
  return {{"Spawned",
           fmt::format("by {}; there the communicator between the worlds is {}", run.parent_program, run.parent_comm)}};
}

std::string describe_gap(std::string const& kind, std::uint64_t count) { return describe(gaps, kind, count); }

std::vector<Note> gaps_of(Run const& run) {
  std::vector<Note> facts = facts_of_unfinished(run);
  if (run.has_only_sums()) {
    facts.emplace_back("Detail", fmt::format("sums over ranks, and the rows of {} of them (COMMPROF_DETAIL=summary): "
                                             "times of regions and pairs of ranks are not known",
                                             format_count(run.detailed_ranks->size())));
  }
  for (auto const& [option, what] : {std::pair{"COMMPROF_OPS", &run.operations_left_out},
                                     std::pair{"COMMPROF_COMMS", &run.communicators_left_out}}) {
    if (!*what) continue;
    std::vector<std::string> items = (*what)->only;
    for (std::string const& one : (*what)->without) items.push_back("-" + one);
    facts.emplace_back("Left out",
                       fmt::format("by {}={}; the time of these calls is not in MPI's", option, fmt::join(items, ",")));
  }
  if (!run.not_seen.empty()) {
    facts.emplace_back("Not seen", fmt::format("calls of {}, which this version of the profiler does not know",
                                               fmt::join(run.not_seen, ", ")));
  }
  for (auto const& [kind, count] : run.dropped)
    if (count > 0) facts.emplace_back("Dropped", describe(dropped, kind, count));
  for (auto const& [kind, count] : run.not_sampled) {
    if (kind == "disagreeing" && count > 0) facts.emplace_back("Dropped", "waiting in " + describe_gap(kind, count));
  }
  for (auto const& [kind, count] : run.folded)
    if (count > 0) facts.emplace_back("Folded", describe_gap(kind, count));
  return facts;
}

std::vector<Note> threads_of(Overview const& overview) {
  double most = 0, cpu_s = 0, wall_s = 0;
  for (RankTimes const& times : overview.times_of_rank) {
    most = std::max(most, times.threads);
    cpu_s += times.cpu_s.value_or(0);
    wall_s += times.threads_wall_s();
  }
  // Progress threads of the MPI take less processor time.
  constexpr double others_work = 1.25;
  if (wall_s > 0 && cpu_s >= others_work * wall_s)
    return {
        {"Threads", fmt::format("at most {} of a process calls MPI, others work without: times and efficiencies are "
                                "only those of threads that call MPI",
                                most)}};
  if (most > 1)
    return {{"Threads", fmt::format("up to {} of a process call MPI: MPI time is summed over them, efficiencies are "
                                    "their means",
                                    most)}};
  return {};
}

Json counts(std::vector<std::pair<std::string, std::uint64_t>> const& kinds) {
  Json counts = Json::object();
  for (auto const& [kind, count] : kinds) counts[kind] = count;
  return counts;
}

Json run_of(Overview const& overview) {
  Run const& run = overview.run;
  return {
      {"profile", overview.profile},
      {"program", run.program},
      {"arguments", run.arguments},
      {"mpi", {{"library", run.mpi_library}, {"version", run.mpi_version}}},
      {"ranks", run.ranks},
      {"parent", run.parent_comm.empty() ? Json() : Json{{"program", run.parent_program}, {"comm", run.parent_comm}}},
      {"start", run.start},
      {"wall_s", run.wall_s},
      {"unfinished", run.unfinished ? *run.unfinished->as_written : Json()},
      {"left_out",
       {{"operations", left_out(run.operations_left_out)}, {"communicators", left_out(run.communicators_left_out)}}},
      {"dropped", counts(run.dropped)},
      {"folded", counts(run.folded)},
      {"selected",
       {{"ranks", overview.selected_ranks},
        {"hosts", overview.hosts},
        {"rank_wall_s", overview.wall_s},
        {"rank_mpi_s", overview.mpi_s},
        {"thread_wall_s", overview.threads_wall_s}}}};
}

Document document_of(Overview const& overview) {
  Document document;
  document.run = run_of(overview);
  document.head = head_of(overview);
  return document;
}

Document document_of(Summary const& summary) {
  Document document = document_of(static_cast<Overview const&>(summary));
  document.run["selected"]["operations_s"] = summary.operations_s;
  return document;
}

}  // namespace mpisee_through
