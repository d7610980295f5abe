// Gathers the profile of all processes: what one of them contributes, what they exchange, and one attempt of all to
// write it into a directory that rank 0 has opened: see docs/design.md, "Gathering". If a call of the MPI fails or
// memory is used up, on any process, nothing is written (mpi/tree.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "base/process.hpp"
#include "finalize/profile_writer.hpp"
#include "message_waits/own_message_waits.hpp"
#include "mpi/tree.hpp"
#include "profile/profile.hpp"
#include "time_windows/time_windows.hpp"

namespace commprof {

// The contributions of one process to a profile.
struct Contents {
  RowContext const& rows;
  UnfinishedRequests const& unfinished;
  OwnMessageWaits& waits;
  OwnTimeWindows const& windows;
  MadeAtStart made;   // empty for a snapshot
  unsigned snapshot;  // number of the snapshot, from 1; 0: the profile of the whole run

  bool is_of_snapshot() const { return snapshot != 0; }
};

// What a process adds to the summary of a run.
RunSummary summary_of(Contents const& contents, OwnPairs const& pairs);

// A number for each file.
using PerFile = std::array<std::uint64_t, schema::tables.size()>;

// The rows of one process for all files.
class OwnRows {
 public:
  explicit OwnRows(RowContext const& context) : context_(context) {}

  // Formats this process's own rows; those of communicators are added, since they may change. is_detailed: includes
  // rows that a profile of sums has only for few ranks. False if memory is used up.
  bool format(bool is_detailed);
  // Adds rows after this process's own ones: write(out) returns their number. False if memory is used up.
  template <class Write>
  bool add(File file, Write&& write) {
    return further_[static_cast<std::size_t>(file)].add(write);
  }

  // Calls deliver(file, text) with the texts of one file after the other.
  template <class Deliver>
  void deliver(Deliver&& deliver) const {
    for (std::size_t i = 0; i < own_.size(); ++i)
      for (OfFile const* const rows : {&own_[i], &further_[i]})
        deliver(static_cast<File>(i), std::string_view(rows->text.begin(), rows->text.size()));
  }

  PerFile rows() const;
  PerFile bytes() const;

 private:
  struct OfFile {
    std::uint64_t rows = 0;
    PageVector<char> text;

    template <class Write>
    bool add(Write& write) {
      return append_written(text, [&](TextWriter& out) { rows += write(out); });
    }
  };

  RowContext const& context_;
  std::array<OfFile, schema::tables.size()> own_, further_;
};

// The ranks that have rows of their own in a profile that otherwise has sums.
struct DetailedRanks {
  static constexpr int most = 64;

  int count = 0;
  int ranks[most]{};  // ascending

  bool contain(int rank) const { return std::binary_search(ranks, ranks + count, rank); }
  // Ignores ranks beyond the limit.
  void add(int rank);
  // sums: over all of so many ranks. sender: the one with the largest amount for another process.
  void choose(Sums const& sums, int of_ranks, int sender);
};

// Writes run.json: the facts of the whole run. snapshot: its number in the run, from 1; 0: the profile of the whole
// run. detailed: the ranks with rows of their own; nullptr: all. windows: those in when.csv.
void write_run_json(TextWriter& out, RunFacts const& facts, RunSummary const& total, clock::Rate rate,
                    unsigned snapshot = 0, DetailedRanks const* detailed = nullptr, WindowSpan const& windows = {});

// Joins what processes know about waiting.
//
//   meetings     the collective calls in which processes are at instants, up a binomial tree and down again; then when
//                all members have entered them
//   questions    whether a message was sent, or its receive posted, at an instant; and the answers. Each process has so
//                few for another one that this one can answer those of all.
//   hops         whom the process that is waited for waits for itself; the distance doubles each time
//   rows         up a binomial tree and down again, those of a communicator up to where its members meet
//
// Collective over the processes of the tree.
void exchange_waits(OwnMessageWaits& own, RowContext const& context, Tree& tree);

// Adds up the windows of time of neighbouring ranks, up the tree within their group.
//
// Collective over the processes of the tree. The first rank of a group of so many gets the rows of the group.
void exchange_windows(OwnTimeWindows const& own, WindowSpan const& span, int group, RunFacts const& facts, Tree& tree,
                      OwnRows& rows);

// Sums the messages of all processes by the hosts of sender and receiver.
//
//   up     the hosts of the subtree's ranks
//   down   the hosts of all ranks
//   up     the sums of the subtree's messages
//
// The size of these exchanges grows with the number of hosts, and of pairs of hosts up to a limit, not with the number
// of processes, because ranks are placed in blocks or in turn.
//
// Collective over the processes of the tree. On rank 0, adds the rows of host_pairs.csv. Messages of pairs beyond the
// limits go into the rows without hosts.
void exchange_hosts(RowContext const& context, MessageTotals const& totals, Tree& tree, OwnRows& rows);

// What rank 0 tells all processes.
struct Attempt {
  bool has_waits = false;         // waiting is to be joined
  bool is_of_sums = false;        // with the rows of few ranks only
  bool has_limit = false;         // the size of a profile is limited
  bool may_share = false;         // several processes can write into one file there
  char directory[PATH_MAX] = "";  // temporary path of the directory
};

// The result of an attempt. unwanted: the user wants no profile of this size, or of so short a job, or with so little
// MPI.
enum class Outcome { written, failed, unwanted };

using Problem = char[PATH_MAX + 256];  // the reason why a profile was not written

// The number of processes that share a writer, by the number of ranks: a power of two.
int ranks_of_group(int ranks);

class Gathering {
 public:
  // output: on rank 0 the open directory; unused elsewhere.
  Gathering(Contents const& contents, Attempt const& attempt, Tree& tree, OutputDirectory& output);

  // Takes part in the attempt, and returns its outcome. On rank 0, also the problem if there is one, and the sums of
  // all processes.
  Outcome run(Problem& problem, RunSummary& total);

 private:
  struct Report {
    RunSummary summary;
    bool all_see_directory = true;  // all writers see it
    WindowSpan windows;

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
  // Which process could not write its part; -1: each could.
  struct Result {
    int rank = -1, error = 0;

    bool add(Result const& others) {
      if (rank < 0) *this = others;
      return true;
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
  bool has(File file) const { return is_in_profile(file, plan_.is_of_sums); }
  void add_windows();
  void format_rows();
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
