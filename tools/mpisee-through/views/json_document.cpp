#include "views/json_document.hpp"

#include "waiting/situation_json.hpp"

namespace mpisee_through {
namespace {

Json aborted(Run::Unfinished const& unfinished) {
  return unfinished.aborted ? Json{{"rank", unfinished.aborted->rank}, {"code", unfinished.aborted->code}} : Json();
}

Json unfinished(Run const& run) {
  if (!run.unfinished) return {};
  return {{"ranks_missing", run.unfinished->missing.to_string()},
          {"on_nodes", run.unfinished->on_nodes},
          {"last_record_s", run.unfinished->last_record_s},
          {"end_known", run.unfinished->is_end_known},
          {"interrupted_by", run.unfinished->interrupted_by ? Json(*run.unfinished->interrupted_by) : Json()},
          {"exit_code", run.unfinished->exit_code ? Json(*run.unfinished->exit_code) : Json()},
          {"in_calls_s", run.unfinished->in_calls_s},
          {"aborted", aborted(*run.unfinished)},
          {"queues_unknown", run.unfinished->queues_unknown.to_string()},
          {"problems", run.unfinished->problems},
          {"state", run.unfinished->state ? to_json(*run.unfinished->state) : Json()}};
}

Json left_out(std::optional<Run::LeftOut> const& what) {
  return what ? Json{{"only", what->only}, {"without", what->without}} : Json();
}

}  // namespace

Json counts(std::vector<std::pair<std::string, std::uint64_t>> const& kinds) {
  Json counts = Json::object();
  for (auto const& [kind, count] : kinds) counts[kind] = count;
  return counts;
}

Json head(Overview const& overview) {
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
      {"unfinished", unfinished(run)},
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

Json head_of(Summary const& summary) {
  Json object = head(summary);
  object["selected"]["operations_s"] = summary.operations_s;
  return object;
}

}  // namespace mpisee_through
