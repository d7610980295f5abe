// Finds the processes that each process of a job waits for, and those that can never go on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "waiting/job.hpp"

namespace mpisee_through {

class JobWaits {
 public:
  using Ranks = std::vector<std::int32_t>;

  // job: must outlive this object.
  explicit JobWaits(Job const& job);

  // The processes that these wait for, or may be waiting for, ascending.
  [[nodiscard]] Ranks awaited_by(Ranks const& ranks) const;
  // Whether the process certainly waits for them.
  [[nodiscard]] bool is_certain(std::int32_t rank) const;
  // Whether the process can never go on, as far as is known. False for a process in MPI_Finalize.
  [[nodiscard]] bool is_stuck(std::int32_t rank) const;

  // Stuck processes, each of which waits for the next one.
  struct StuckWay {
    Ranks ranks;
    bool is_circle = false;  // the last one waits for the first; else it is finished
  };
  // A cycle for each set of processes that wait for each other, and the ways that end at a finished process.
  [[nodiscard]] std::vector<StuckWay> stuck_ways() const;

 private:
  // The graph of waits. A node is a process, a thread's call, or a set of processes that a call waits for.
  enum class NodeId : std::uint32_t {};
  enum class Mode : std::uint8_t {
    free,      // may go on whatever others do, as far as is known
    all_of,    // goes on once all nodes that it waits for go on
    any_of,    // goes on once one of them goes on
    finished,  // has ended
  };
  using Nodes = std::vector<NodeId>;
  struct Node {
    Mode mode = Mode::free;
    Nodes waits_for;         // for a free node: the nodes that it may be waiting for
    std::int32_t rank = -1;  // only for a process
    bool goes_on = false;
  };
  // A pending send or receive: the communicator, the sender and the receiver.
  using Message = std::tuple<CommId, std::int32_t, std::int32_t>;
  static constexpr std::int32_t anybody = -1;
  struct Targets {
    Nodes unmet;  // of those the ones without a matching send or receive
    Nodes all;
  };

  Node& at(NodeId id) { return nodes_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] Node const& at(NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  NodeId add(Mode mode, Nodes waits_for, std::int32_t rank = -1);
  // The node of a process, created at the first call.
  NodeId process(std::int32_t rank);
  [[nodiscard]] Node const* main_call(std::int32_t rank) const;

  void note_messages(ProcessState const& process);
  void note_message(std::int32_t rank, PendingOperation const& message);
  void take(ProcessState const& process);
  NodeId add_call(ProcessState const& process, ThreadState const& state);
  Targets targets_of(std::int32_t rank, PendingOperation const& message);
  NodeId for_message(std::int32_t rank, ThreadState const& state);
  NodeId for_requests(ProcessState const& process);
  NodeId for_members(ProcessState const& process, ThreadState const& state, Needs needs);
  NodeId any_member(CommId comm, std::int32_t but);
  NodeId those_missing(CommId comm, std::uint64_t begun, commprof::Op op);
  NodeId those_not_at_the_end();
  [[nodiscard]] bool is_missing(std::int32_t rank, CommId comm, std::uint64_t begun, commprof::Op op) const;
  void find_stuck();
  [[nodiscard]] StuckWay way_from(NodeId one, std::unordered_set<NodeId>& seen) const;
  [[nodiscard]] Ranks ranks_of(Nodes const& nodes) const;

  Job const& job_;
  bool some_run_ = false;
  std::vector<Node> nodes_;
  std::unordered_map<std::int32_t, NodeId> processes_, main_calls_;
  std::set<Message> sends_, receives_;  // from anybody, if the sender does not matter
  std::map<std::pair<CommId, std::int32_t>, NodeId> any_members_;
  std::map<std::tuple<CommId, std::uint64_t, commprof::Op>, NodeId> missing_;
  std::optional<NodeId> not_at_end_;
};

}  // namespace mpisee_through
