#include <nlohmann/json.hpp>

#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using Json = nlohmann::ordered_json;

Json share(std::optional<double> share) {
  return share ? Json(*share) : Json(nullptr);
}

Json counts(std::vector<std::pair<std::string, std::uint64_t>> const& kinds) {
  Json counts = Json::object();
  for (auto const& [kind, count] : kinds) counts[kind] = count;
  return counts;
}

void add_totals(Json& object, Totals const& totals) {
  object["calls"] = totals.calls;
  object["bytes_sent"] = totals.bytes_sent;
  object["bytes_received"] = totals.bytes_received;
  object["time_s"] = totals.time_s;
}

Json head(Summary const& summary) {
  Run const& run = summary.run;
  return {{"profile", summary.profile},
          {"program", run.program},
          {"arguments", run.arguments},
          {"mpi", {{"library", run.mpi_library}, {"version", run.mpi_version}}},
          {"ranks", run.ranks},
          {"parent", run.parent_comm.empty() ? Json() : Json{{"program", run.parent_program}, {"comm", run.parent_comm}}},
          {"start", run.start},
          {"wall_s", run.wall_s},
          {"dropped", counts(run.dropped)},
          {"folded", counts(run.folded)},
          {"selected",
           {{"ranks", summary.selected_ranks},
            {"hosts", summary.hosts},
            {"rank_wall_s", summary.wall_s},
            {"rank_mpi_s", summary.mpi_s},
            {"operations_s", summary.operations_s}}}};
}

Json describe(Summary const& summary, CommunicatorSummary const& communicator) {
  Json object{{"comm", communicator.name},
              {"parent", communicator.parent},
              {"created_by", communicator.created_by},
              {"size", communicator.size},
              {"members", communicator.members},
              {"topology", communicator.topology},
              {"reorder", communicator.reorder},
              {"user_name", communicator.user_name},
              {"freed", communicator.freed},
              {"instances", communicator.instances},
              {"ranks", communicator.ranks}};
  add_totals(object, communicator.totals);
  object["mpi_share"] = share(summary.share_of_mpi(communicator));
  return object;
}

Json describe(Summary const& summary, CommunicatorSummary const& communicator, OperationSummary const& operation) {
  Json object{{"op", summary.name_of(operation.operation)}};
  if (operation.size) {
    object["size_min"] = operation.size->min_bytes;
    object["size_max"] = operation.size->max_bytes;
  }
  add_totals(object, operation.totals);
  object["rank_mean_s"] = communicator.mean_s(operation);
  object["rank_min_s"] = communicator.min_s(operation);
  object["rank_max_s"] = communicator.max_s(operation);
  object["time_min_s"] = operation.shortest_s;
  object["time_max_s"] = operation.longest_s;
  return object;
}

// A line for each communicator, written as soon as it is made: the document as a whole never is in memory.
class CommunicatorList {
 public:
  CommunicatorList(std::ostream& out, Json const& run) : out_(out) {
    out_ << "{\"run\": " << run.dump() << ",\n \"communicators\": [";
  }
  void add(Json const& communicator) {
    out_ << (empty_ ? "\n  " : ",\n  ") << communicator.dump();
    empty_ = false;
  }
  ~CommunicatorList() { out_ << "]}\n"; }
  CommunicatorList(CommunicatorList const&) = delete;
  CommunicatorList& operator=(CommunicatorList const&) = delete;

 private:
  std::ostream& out_;
  bool empty_ = true;
};

}  // namespace

void write_json(std::ostream& out, Summary const& summary, View view, Arrangement const& arrangement) {
  CommunicatorList list(out, head(summary));
  if (view == View::tree) {
    for (TreeNode const& node : arrange_tree(summary, arrangement)) {
      if (!node.selected) continue;
      Json object = describe(summary, summary.communicator(node.communicator));
      object["depth"] = node.depth;
      list.add(object);
    }
    return;
  }
  for (CommunicatorIndex const index : arrange_communicators(summary, arrangement, Include::with_operations)) {
    CommunicatorSummary const& communicator = summary.communicator(index);
    Json object = describe(summary, communicator);
    Json& operations = object["operations"] = Json::array();
    for (OperationSummary const* operation : arrange_operations(summary, communicator, arrangement.key)) {
      operations.push_back(describe(summary, communicator, *operation));
    }
    list.add(object);
  }
}

}  // namespace mpisee_through
