// One attempt of all processes to write a profile into a directory that rank 0 has opened: see docs/design.md,
// "Gathering". If a call of the MPI fails or memory is used up, on any process, nothing is written (mpi/tree.hpp).
#pragma once

#include "finalize/own_rows.hpp"
#include "mpi/tree.hpp"

namespace commprof {

// What rank 0 tells all processes.
struct Attempt {
  bool has_waits = false;         // waiting is to be joined: once in a run
  bool is_of_sums = false;        // with the rows of few ranks only
  bool has_limit = false;         // the size of a profile is limited
  bool may_share = false;         // several processes can write into one file there
  std::uint64_t token = 0;        // stored in the directory
  char directory[PATH_MAX] = "";  // temporary path of the directory
};

// The result of an attempt. unwanted: the user wants no profile of this size, or of so short a job, or with so little
// MPI.
enum class Outcome { written, no_place, no_rows, unwanted };

using Problem = char[PATH_MAX + 256];  // the reason why a profile was not written

// The number of processes that share a writer, by the number of ranks: a power of two.
int ranks_of_group(int ranks);

class Gathering {
 public:
  // output: on rank 0 the open directory; unused elsewhere.
  Gathering(Contents const& contents, Attempt const& attempt, Tree& tree, OutputDirectory& output);

  // Takes part in the attempt. On rank 0, returns the outcome, the problem, and the sums of all processes.
  Outcome run(Problem& problem, RunSummary& total);

 private:
  struct Report {
    RunSummary summary;
    bool all_see_directory = true;  // all writers see it
    WindowSpan windows;
    Candidates candidates;  // for details

    bool add(Report const& others);
  };
  struct Plan {
    bool is_given_up = false;
    bool is_unwanted = false;  // and therefore abandoned
    bool has_one_writer = false;
    bool is_of_sums = false;
    std::uint64_t most_bytes = 0;  // between any two processes
    WindowSpan windows;            // not known: there are none that can stand in one file
    DetailedRanks detailed;
  };
  struct Sizes {
    PerFile bytes{}, rows{};
    std::uint64_t pairs_about_most = 0;
  };
  // Why a process could not write its part; empty if it could.
  struct Result {
    PageVector<char> problem;

    bool take(char const* text);  // false if memory is used up
    bool add(Result const& others);
    template <class Visitor>
    void visit(Visitor&& visitor) {
      visitor(problem);
    }
  };

  bool is_root() const { return tree_.is_root(); }
  int rank() const { return contents_.rows.facts.rank; }
  int ranks() const { return contents_.rows.facts.ranks; }
  int writer() const { return rank() - rank() % group_; }
  int end_of_group() const;

  void join_directory();
  void gather_reports();
  void gather_sums();
  void gather_offers();
  void tell_plan();
  FileSet files_of_profile() const { return commprof::files_of_profile(plan_.is_of_sums); }
  void add_windows();
  void count_rows();
  bool is_unwanted_job() const;
  void fit_into_limit();
  void decide_by_size();
  void gather_sizes();
  void send_offsets();
  void move_rows();
  void send_rows();
  void write_rows();
  void take(File file, std::string_view text);
  void collect_from(int rank);
  Outcome finish(Problem& problem, RunSummary& total);

  Contents const& contents_;
  Attempt const& attempt_;
  Tree& tree_;
  OutputDirectory& output_;
  int group_;
  OwnRows rows_;
  OwnPairs pairs_;
  Report report_;
  Plan plan_;
  PerFile bytes_of_child_[Tree::most_children]{};
  Sizes sizes_;       // of the subtree
  PerFile places_{};  // offsets at which the rows of this subtree begin
  Result result_;
};

}  // namespace commprof
