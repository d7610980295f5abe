// Finds the processes that each process of a job waits for, and those that can never go on.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "waiting/job.hpp"
#include "waiting/operation_needs.hpp"

namespace mpisee_through {

// The graph of waits. A node is a process, a thread's call, or a set of processes that a call waits for.
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

class JobWaits {
 public:
  // job: must outlive this object.
  explicit JobWaits(Job const& job);

  [[nodiscard]] WaitGraph const& graph() const { return graph_; }
  // The thread that represents the process: among threads in MPI, the one that entered first; otherwise the one that
  // left MPI last. nullptr: no thread has shown a call.
  [[nodiscard]] static ThreadState const* main_thread(ProcessState const& process);
  // The nodes that a process waits for, or may be waiting for.
  [[nodiscard]] std::vector<NodeId> of(std::int32_t rank) const;
  // Whether the process certainly waits for them.
  [[nodiscard]] bool is_certain(std::int32_t rank) const;
  // Whether the process can never go on, as far as is known. False for a process in MPI_Finalize.
  [[nodiscard]] bool is_stuck(std::int32_t rank) const;

 private:
  using Mode = WaitGraph::Mode;
  // A pending send or receive: the communicator, the sender and the receiver.
  using Message = std::tuple<CommId, std::int32_t, std::int32_t>;
  struct Target {
    std::optional<NodeId> node;  // nothing: MPI_PROC_NULL, or unknown
    bool is_met = false;         // the other process has a matching send or receive, so there is nothing to wait for
  };
  struct Targets {
    std::vector<NodeId> unmet, all;
  };

  void note_messages(ProcessState const& process);
  void note_send(ProcessState const& process, CommId comm, GivenRank dest);
  void note_receive(ProcessState const& process, CommId comm, GivenRank source);
  [[nodiscard]] bool is_sent(CommId comm, std::int32_t from, std::int32_t to) const {
    return sends_.contains({comm, from, to});
  }
  [[nodiscard]] bool is_sent_by_any(CommId comm, std::int32_t to) const { return sent_to_.contains({comm, to}); }
  [[nodiscard]] bool is_received(CommId comm, std::int32_t from, std::int32_t to) const {
    return receives_.contains({comm, from, to}) || received_by_.contains({comm, to});
  }
  [[nodiscard]] std::int32_t world_rank(CommId comm, GivenRank rank) const;

  void take(ProcessState const& process);
  NodeId add_thread(ProcessState const& process, ThreadState const& state);
  NodeId add(Mode mode, std::vector<NodeId> waits_for);
  static Targets targets_of(std::initializer_list<Target> messages);
  NodeId for_messages(ProcessState const& process, ThreadState const& state);
  NodeId for_requests(ProcessState const& process);
  NodeId for_members(ProcessState const& process, ThreadState const& state, Needs needs);
  Target for_send(ProcessState const& process, CommId comm, GivenRank dest);
  Target for_receive(ProcessState const& process, CommId comm, GivenRank source);
  NodeId anybody(CommId comm, std::int32_t but);
  NodeId those_missing(CommId comm, std::uint64_t begun, commprof::Op op);
  NodeId those_not_at_the_end();
  [[nodiscard]] bool is_missing(std::int32_t rank, CommId comm, std::uint64_t begun, commprof::Op op) const;

  Job const& job_;
  bool some_run_ = false;
  WaitGraph graph_;
  std::set<Message> sends_, receives_;                               // from, to
  std::set<std::pair<CommId, std::int32_t>> sent_to_, received_by_;  // the receivers of messages from anybody
  std::map<CommId, NodeId> anybody_;
  std::map<std::tuple<CommId, std::uint64_t, commprof::Op>, NodeId> missing_;
  std::optional<NodeId> not_at_end_;
  std::unordered_map<std::int32_t, NodeId> main_;  // of the main thread
};

}  // namespace mpisee_through
