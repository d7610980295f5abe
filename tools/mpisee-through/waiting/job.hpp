// A job at one moment: the current calls of its processes, and the communicators that they use; and what calls wait
// for, by their operation.
//
// The reader of the spool files fills it in (recovery/look.hpp), and Situation interprets it.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

}  // namespace mpisee_through
