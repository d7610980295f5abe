// Finds the processes that each process of a job waits for.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "waiting/job.hpp"
#include "waiting/operation_needs.hpp"
#include "waiting/wait_graph.hpp"

namespace mpisee_through {

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
