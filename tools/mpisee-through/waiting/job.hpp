// A job at one moment: the current calls of its processes, and the communicators that they use.
//
// The reader of the spool files fills it in (recovery/look.hpp), and Situation interprets it.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ops.hpp"

namespace mpisee_through {

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
  [[nodiscard]] std::int32_t world_rank_of(std::int32_t rank) const {
    return is_plain && rank >= 0 && static_cast<std::size_t>(rank) < world_rank.size()
               ? world_rank[static_cast<std::size_t>(rank)]
               : unknown_rank;
  }
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
};

}  // namespace mpisee_through
