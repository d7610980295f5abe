// An MPI program that states what its profile must contain.
//
// As the program calls MPI it states, in the same place, the counts that each process expects. finish() ends MPI and
// compares: on each process, the profile must contain all that is expected, and nothing else. Properties of every
// profile are always checked: sizes are within their bins, times within their bounds, files agree with each other, and
// nothing was dropped or folded beyond the program's expectations.
//
// The environment variable COMMPROF_OUTPUT names the profile's directory. With COMMPROF_ENABLE=0 there is no profile
// and nothing is compared: the program then only shows its own behaviour.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "profile_files.hpp"

namespace profile_test {

struct Counts {
  std::uint64_t calls = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  friend bool operator==(Counts const&, Counts const&) = default;
};

// A communicator, and the name that it must have in the profile.
struct NamedComm {
  MPI_Comm handle;
  std::string name;
  int rank = 0;
  int size = 0;

  NamedComm(MPI_Comm comm, std::string name_in_profile) : handle(comm), name(std::move(name_in_profile)) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
  }
  // The neighbours on a ring of all processes.
  int right() const { return (rank + 1) % size; }
  int left() const { return (rank + size - 1) % size; }
};

class ProfileTest {
 public:
  // Calls MPI_Init, or MPI_Init_thread if a level is given.
  ProfileTest(int* argc, char*** argv, int thread_level = -1);

  int rank = 0;  // in MPI_COMM_WORLD
  int ranks = 1;

  // The region in which the process expects calls from now on, by its path.
  void in_region(std::string path) { region_ = std::move(path); }

  // This process expects to enter a region this many more times.
  void expect_entered(std::string const& region, std::uint64_t times = 1) { expected_entered_[region] += times; }

  // This process expects this many more calls of an operation on a communicator, and this many bytes in all of them.
  void expect(std::string const& comm, std::string const& op, Counts counts);

  // This process expects a communicator of this name to be in the profile, with these columns among others.
  void expect_communicator(std::string const& name, Row columns);

  // All processes together drop, or fold, this many data of a kind; the names are those of run.json.
  void expect_dropped(std::string const& kind, std::uint64_t total) { expected_dropped_[kind] = total; }
  void expect_folded(std::string const& kind, std::uint64_t total) { expected_folded_[kind] = total; }

  // Leaves an operation unchecked on this process, wherever it occurs: polling calls, whose number depends on timing.
  void ignore(std::string const& op);

  // Reports an error that the program has found itself.
  void fail(std::string const& message);
  void require(bool condition, std::string const& message) {
    if (!condition) fail(message);
  }

  // Compares a snapshot with the expectations so far, and prints each difference. Processes need not have returned from
  // the snapshot at the same time.
  void check_snapshot(std::string const& directory);

  // Calls MPI_Finalize, compares, prints each difference, and returns the exit code of the process. If the environment
  // names mpisee-through, also compares what a job killed just before would leave.
  int finish();

  // Valid after finish(): the profile's rows, for further checks, and the exit code after these.
  std::vector<Row> const& operations() const { return operations_; }
  std::vector<Row> const& communicators() const { return communicators_; }
  std::vector<Row> const& rank_rows() const { return rank_rows_; }
  std::vector<Row> const& regions() const { return regions_; }
  std::vector<Row> const& peers() const { return peers_; }
  int exit_code() const { return failures_ == 0 ? 0 : 1; }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;  // region, communicator, operation

  void check_what_would_be_left();
  void recover_copy(char const* tool, std::string const& directory);
  void compare(std::string const& directory);
  void read_profile(std::string const& directory);
  void compare_counts();
  void compare_communicators();
  void compare_totals(std::string const& directory);
  void compare_regions();
  void check_messages_of_operations();
  void check_every_row();

  std::string directory_;
  std::string region_ = "main";
  std::map<std::string, std::uint64_t> expected_entered_{{"main", 1}};
  std::map<std::string, std::uint64_t> expected_dropped_;
  std::map<std::string, std::uint64_t> expected_folded_;
  std::map<Key, Counts> expected_;
  std::map<std::string, Row> expected_communicators_;
  std::vector<std::string> ignored_;
  std::vector<Row> operations_;
  std::vector<Row> communicators_;
  std::vector<Row> rank_rows_;
  std::vector<Row> regions_;
  std::vector<Row> peers_;
  int failures_ = 0;
};

// The bytes of data, without gaps, in `count` elements of a type.
std::uint64_t bytes(int count, MPI_Datatype datatype);

// Ranks as in the name of a communicator that only its members have created: 5, 0-3, 0-6:2, or 0.3f2a9c1d.
std::string ranks_in_name(std::vector<int> ranks);
// The ranks from first below end, in steps.
std::string ranks_in_name(int first, int end, int step = 1);

}  // namespace profile_test
