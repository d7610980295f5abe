// Several runs side by side: the calls on each communicator in each run, joined by name. A communicator has the same
// name in every run of a program.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "summary/overview.hpp"
#include "summary/selection.hpp"

namespace mpisee_through {

// The calls of one run.
struct Effort {
  double time_s = 0;       // mean over the ranks of the communicator
  double calls = 0;        // over all ranks
  double bytes = 0;        // sent and received, over all ranks
  double rank_time_s = 0;  // summed over all ranks
  double ranks = 0;        // of the communicator
  std::uint64_t size = 0;  // of the communicator, or the largest of several

  // Adds everything but the ranks, which two operations may share.
  Effort& operator+=(Effort const& other) {
    size = std::max(size, other.size);
    time_s += other.time_s;
    calls += other.calls;
    bytes += other.bytes;
    rank_time_s += other.rank_time_s;
    return *this;
  }
};

// One for each run; nothing for a run without these calls.
using EffortOfRuns = std::vector<std::optional<Effort>>;

struct CommunicatorInRuns {
  EffortOfRuns all;                                // all selected operations on it together
  std::map<std::string, EffortOfRuns> operations;  // by name
};

// Calls of a collective operation of one size class, and the algorithm that the MPI used for them.
struct AlgorithmInRun {
  std::string communicator, operation;
  SizeBin sizes;
  std::string algorithm;
  Effort effort;
};

struct Runs {
  std::vector<Overview> heads;              // efficiencies include waiting if it is known
  std::vector<std::string> program_builds;  // of each run; empty if not known
  bool has_efficiencies = true;             // false if calls are selected: efficiencies need all calls of a rank
  // The share of MPI in equal parts of each run; empty for a run without windows of time, or if calls are selected.
  std::vector<std::vector<double>> mpi_over_time;
  std::vector<std::vector<AlgorithmInRun>> algorithms;      // of each run; empty unless wanted, and told by the profile
  std::map<std::string, CommunicatorInRuns> communicators;  // by name; only those with calls in some run
};

// Indices into Runs::heads.
using RunGroup = std::vector<std::size_t>;

struct RunsWanted {
  Selection selection{};
  // The path of a region that is measured, with all regions inside it, in place of whole runs; the wall time is then
  // that of the rank with the most.
  std::string region{};
  bool algorithms = false;
};

// Reads the profiles one after the other. Throws ProfileError; throws SelectionError if a pattern matches nothing in
// any profile, or if a profile lacks a region or rank.
[[nodiscard]] Runs read_runs(std::vector<std::filesystem::path> const& profiles, RunsWanted const& wanted);

// The program of each run. Runs of one build, or with unknown builds and one file name, have the name in the first run.
[[nodiscard]] std::vector<std::string> program_of_each(Runs const& runs);

// Adds up communicators of one family, if it has several: times become means over the ranks of all of them.
[[nodiscard]] std::map<std::string, CommunicatorInRuns> join_siblings(
    std::map<std::string, CommunicatorInRuns>&& communicators);

}  // namespace mpisee_through
