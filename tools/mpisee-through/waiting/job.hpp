// A job at one moment: the current calls of its processes, and the communicators that they use; and what calls wait
// for, by their operation; who waits for whom, and who can never go on.
//
// The reader of the spool files fills it in (recovery/look.hpp), and Situation interprets it.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ops.hpp"

namespace mpisee_through {

// What an operation waits for, according to the MPI standard. An MPI library may return earlier or later.
enum class Needs : std::uint8_t {
  nobody,        // for nobody, or unknown
  messages,      // for the processes that it sends to and receives from
  requests,      // for requests of its process
  everybody,     // for all members
  some,          // for some members; the MPI library decides which
  data_of_root,  // the root waits for some, others for the root
  data_of_all,   // the root waits for all, others for some
  end_of_all,    // MPI_Finalize
};

struct OperationFacts {
  Needs needs = Needs::nobody;
  bool has_comm = false, has_dest = false, has_source = false, has_root = false;  // parameters
  bool sends = false, receives = false;                                           // a message
  // All members call it, and make all calls of this kind on a communicator in the same order.
  bool is_ordered = false;
};

[[nodiscard]] OperationFacts const& facts_of(commprof::Op op);
[[nodiscard]] std::string_view name_of(commprof::Op op);  // without MPI_

// An index of the communicators of a job's processes. Communicators with the same name have the same index.
enum class CommId : std::uint32_t { unknown = UINT32_MAX };

struct JobCommunicator {
  std::string name;
  std::int32_t size = 0;
  // Whether it is one communicator with one group in this world; false for an intercommunicator, and for several that
  // share a record.
  bool is_plain = false;
  std::vector<std::int32_t> members;     // world ranks, ascending; empty: not known
  std::vector<std::int32_t> world_rank;  // by rank in the communicator; unknown_rank if unknown

  static constexpr std::int32_t unknown_rank = -1;
};

// A place in a program or library, or in the source of an interpreted program.
struct CodePlace {
  std::string module;  // path
  std::string build_id;
  std::uint64_t offset = 0;  // address, or line of a source
  std::string function{};    // only for a source

  [[nodiscard]] bool is_known() const { return !module.empty(); }
  friend auto operator<=>(CodePlace const&, CodePlace const&) = default;
};

// A rank in the communicator as the program passed it to a call, or one of these.
enum class GivenRank : std::int32_t { nobody = -1, any = -2, own_group = -3, not_known = -4 };

// The current or the latest call of a thread.
struct ThreadState {
  std::optional<commprof::Op> op;  // nothing outside MPI
  CommId comm = CommId::unknown;   // unknown for operations without a communicator
  bool has_comm = false;
  GivenRank dest = GivenRank::nobody;
  GivenRank source = GivenRank::nobody;
  GivenRank root = GivenRank::nobody;
  CodePlace place;          // of the call; outside MPI, of the latest call
  std::uint64_t stamp = 0;  // start of this state, by a clock of the process
  double seconds = 0;       // the time since then
};

struct PendingOperation {
  commprof::Op op{};
  CommId comm = CommId::unknown;
  GivenRank dest = GivenRank::not_known;
  GivenRank source = GivenRank::not_known;
  bool is_receive = false;  // completes with the data of another process
};

enum class Life : std::uint8_t { running, ended, unknown };

struct ProcessState {
  std::int32_t rank = 0;
  Life life = Life::unknown;
  bool is_moving = false;    // went on to another call while its file was read
  bool is_changing = false;  // changed calls so fast that its call is unknown
  bool is_at_least = false;  // `seconds` are a lower bound: they end at the last sign of life of any process
  std::uint64_t end = 0;     // the present or the end of the process, by its clock
  std::vector<ThreadState> threads;
  std::vector<PendingOperation> pending;
  std::map<CommId, std::uint64_t> collectives;  // how many it has completed, or begun by a request

  // The thread that represents the process: among threads in MPI, the one that entered first; otherwise the one that
  // left MPI last. nullptr: no thread has shown a call.
  [[nodiscard]] ThreadState const* main_thread() const;
  [[nodiscard]] std::uint64_t collectives_on(CommId comm) const {
    auto const found = collectives.find(comm);
    return found == collectives.end() ? 0 : found->second;
  }
};

struct Job {
  // More ranks mean a damaged file: a list of all ranks must fit into memory.
  static constexpr std::int32_t most_ranks = 1 << 22;

  std::int32_t ranks = 0;
  // Whether threads that have not called MPI yet may call it while others are in a call: MPI_THREAD_MULTIPLE.
  bool may_have_more_threads = false;
  std::vector<JobCommunicator> communicators;
  std::vector<ProcessState> processes;  // by rank; only processes with a file

  [[nodiscard]] JobCommunicator const* communicator(CommId id) const {
    auto const index = static_cast<std::size_t>(id);
    return index < communicators.size() ? &communicators[index] : nullptr;
  }
  [[nodiscard]] ProcessState const* process(std::int32_t rank) const;
  // unknown_rank if it is unknown.
  [[nodiscard]] std::int32_t world_rank_of(CommId id, GivenRank rank) const;
  // World ranks; none if they are unknown.
  [[nodiscard]] std::span<std::int32_t const> members_of(CommId id) const;
  // "?" if it is unknown.
  [[nodiscard]] std::string name_of(CommId id) const;
};

// Finds the processes that each process of a job waits for, and those that can never go on.
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
