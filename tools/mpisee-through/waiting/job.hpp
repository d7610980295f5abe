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

// An index of the communicators of all processes of a job. Communicators with one name are one.
enum class CommId : std::uint32_t { unknown = UINT32_MAX };

struct JobCommunicator {
  std::string name;
  std::int32_t size = 0;
  // Whether it is one communicator, of one group of this world: not several that share a record, and no
  // intercommunicator.
  bool is_plain = false;
  std::vector<std::int32_t> members;     // world ranks, ascending; empty: not known
  std::vector<std::int32_t> world_rank;  // of each rank in it; unknown_rank where that is not known

  static constexpr std::int32_t unknown_rank = -1;
  [[nodiscard]] std::int32_t world_rank_of(std::int32_t rank) const {
    return is_plain && rank >= 0 && static_cast<std::size_t>(rank) < world_rank.size()
               ? world_rank[static_cast<std::size_t>(rank)]
               : unknown_rank;
  }
};

// A place in a program or library, or in a source that is interpreted.
struct CodePlace {
  std::string module;  // path
  std::string build_id;
  std::uint64_t offset = 0;  // of a source: the line
  std::string function{};    // of a source alone

  [[nodiscard]] bool is_known() const { return !module.empty(); }
  friend auto operator<=>(CodePlace const&, CodePlace const&) = default;
};

// A rank as the program gave it to a call: in the communicator, or one of these.
enum class GivenRank : std::int32_t { nobody = -1, any = -2, own_group = -3, not_known = -4 };

// The current or the latest call of a thread.
struct ThreadState {
  std::optional<commprof::Op> op;  // none: outside MPI
  CommId comm = CommId::unknown;   // where the operation has one
  bool has_comm = false;
  GivenRank dest = GivenRank::nobody;
  GivenRank source = GivenRank::nobody;
  GivenRank root = GivenRank::nobody;
  CodePlace place;          // of the call; outside MPI, of the latest one
  std::uint64_t stamp = 0;  // the begin of this state, by a clock of the process
  double seconds = 0;       // the time since then
};

struct PendingOperation {
  commprof::Op op{};
  CommId comm = CommId::unknown;
  GivenRank peer = GivenRank::not_known;
  bool is_receive = false;
};

enum class Life : std::uint8_t { running, ended, unknown };

struct ProcessState {
  std::int32_t rank = 0;
  Life life = Life::unknown;
  bool is_moving = false;    // it went on to another call while its file was read
  bool is_changing = false;  // so fast that its call is unknown
  bool is_at_least = false;  // `seconds` are a lower bound: they end at the latest stamp of its host
  std::vector<ThreadState> threads;
  std::vector<PendingOperation> pending;
  std::map<CommId, std::uint64_t> collectives;  // how many it has completed, or begun by a request

  [[nodiscard]] std::uint64_t collectives_on(CommId comm) const {
    auto const found = collectives.find(comm);
    return found == collectives.end() ? 0 : found->second;
  }
};

struct Job {
  // More ranks are taken for damage: a list of all has to fit into memory.
  static constexpr std::int32_t most_ranks = 1 << 22;

  std::int32_t ranks = 0;
  std::vector<JobCommunicator> communicators;
  std::vector<ProcessState> processes;  // those whose file is there, by rank

  [[nodiscard]] JobCommunicator const* communicator(CommId id) const {
    auto const index = static_cast<std::size_t>(id);
    return index < communicators.size() ? &communicators[index] : nullptr;
  }
  [[nodiscard]] ProcessState const* process(std::int32_t rank) const;
};

}  // namespace mpisee_through
