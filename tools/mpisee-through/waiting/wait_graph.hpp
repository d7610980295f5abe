// Who waits for whom, as a graph: of processes, and of what stands between them.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace mpisee_through {

enum class NodeId : std::uint32_t {};

class WaitGraph {
 public:
  enum class Mode : std::uint8_t {
    free,      // may go on whatever the others do, as far as is known
    all_of,    // goes on once all of those that it waits for do
    any_of,    // goes on once any of them does
    finished,  // does nothing more for anybody
  };
  struct Node {
    Mode mode = Mode::free;
    std::int32_t rank = -1;         // of a process
    std::vector<NodeId> waits_for;  // of one that is free: for whom it may be waiting
  };

  // A process; made at the first time.
  NodeId process(std::int32_t rank);
  NodeId add(Mode mode);
  Node& operator[](NodeId id) { return nodes_[static_cast<std::size_t>(id)]; }
  Node const& operator[](NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::optional<NodeId> find(std::int32_t rank) const {
    auto const found = processes_.find(rank);
    return found == processes_.end() ? std::nullopt : std::optional(found->second);
  }

  // Finds who can never go on: those that wait for each other alone, or for one that is finished.
  void find_stuck();
  // Known after that.
  [[nodiscard]] bool is_stuck(NodeId id) const { return !goes_on_[static_cast<std::size_t>(id)]; }

  // The processes that a node waits for, ascending: those behind what stands between.
  [[nodiscard]] std::vector<std::int32_t> processes_behind(std::vector<NodeId> const& first) const;

  // Stuck processes, each of which waits for the next one.
  struct StuckWay {
    std::vector<std::int32_t> ranks;
    bool is_circle = false;  // the last one waits for the first; else it is finished
  };
  // One of each set of processes that wait for each other, the shortest that leads through one of them; and those that
  // lead to a finished process.
  [[nodiscard]] std::vector<StuckWay> stuck_ways() const;

 private:
  [[nodiscard]] StuckWay way_from(NodeId one, std::unordered_set<NodeId>& seen) const;
  [[nodiscard]] std::vector<std::int32_t> shortest_circle(NodeId from) const;
  [[nodiscard]] std::vector<std::int32_t> ranks_of(std::vector<NodeId> const& nodes) const;

  std::vector<Node> nodes_;
  std::unordered_map<std::int32_t, NodeId> processes_;
  std::vector<char> goes_on_;
};

}  // namespace mpisee_through
