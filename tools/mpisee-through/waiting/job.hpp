// A job at one moment: what each of its processes is in, and what is known of the communicators that it uses.
//
// Who reads the spool files fills it in (recovery/look.hpp), and Situation says what it means.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ops.hpp"

namespace mpisee_through {

// Of the communicators of a job, all processes' together: those with one name are one.
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

// As a program gives it to a call: a rank in the communicator, or one of these.
enum class GivenRank : std::int32_t { nobody = -1, any = -2, own_group = -3, not_known = -4 };

// What a thread is in, or was in last.
struct ThreadState {
  std::optional<commprof::Op> op;  // none: outside MPI
  CommId comm = CommId::unknown;   // where the operation has one
  bool has_comm = false;
  GivenRank dest = GivenRank::nobody;
  GivenRank source = GivenRank::nobody;
  GivenRank root = GivenRank::nobody;
  CodePlace place;          // of the call; outside MPI, of the latest one
  std::uint64_t stamp = 0;  // when that began, by a clock of the process
  double seconds = 0;       // for how long
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
  bool is_moving = false;    // it went on to another call while it was looked at
  bool is_changing = false;  // so fast that it is not known what it is in
  bool is_at_least = false;  // so long, and longer: the moment itself is not known
  std::vector<ThreadState> threads;
  std::vector<PendingOperation> pending;
  std::map<CommId, std::uint64_t> collectives;  // how many it has begun, and not only entered

  [[nodiscard]] std::uint64_t collectives_on(CommId comm) const {
    auto const found = collectives.find(comm);
    return found == collectives.end() ? 0 : found->second;
  }
};

struct Job {
  // More of them are not believed: a list of all has to fit into memory.
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
