// The graph of waits. A node is a process, a thread's call, or a set of processes that a call waits for.
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
    free,      // may go on whatever others do, as far as is known
    all_of,    // goes on once all nodes that it waits for go on
    any_of,    // goes on once one of them goes on
    finished,  // has ended
  };
  struct Node {
    Mode mode = Mode::free;
    std::int32_t rank = -1;         // only for a process
    std::vector<NodeId> waits_for;  // for a free node: the nodes that it may be waiting for
  };

  // The node of a process, created at the first call.
  NodeId process(std::int32_t rank);
  NodeId add(Mode mode);
  Node& operator[](NodeId id) { return nodes_[static_cast<std::size_t>(id)]; }
  Node const& operator[](NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::optional<NodeId> find(std::int32_t rank) const {
    auto const found = processes_.find(rank);
    return found == processes_.end() ? std::nullopt : std::optional(found->second);
  }

  // Finds the nodes that can never go on: they wait only for each other or for finished nodes.
  void find_stuck();
  // Valid after find_stuck().
  [[nodiscard]] bool is_stuck(NodeId id) const { return !goes_on_[static_cast<std::size_t>(id)]; }

  // The first processes on the ways from these nodes, ascending.
  [[nodiscard]] std::vector<std::int32_t> processes_behind(std::vector<NodeId> const& first) const;

  // Stuck processes, each of which waits for the next one.
  struct StuckWay {
    std::vector<std::int32_t> ranks;
    bool is_circle = false;  // the last one waits for the first; else it is finished
  };
  // A cycle for each set of processes that wait for each other, the shortest through one of them; and the ways that end
  // at a finished process.
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
