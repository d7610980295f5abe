// What one process contributes to a profile, and which processes have rows of their own.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "finalize/profile_writer.hpp"
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

// The rows of one process for all files, and their offsets in the files.

// A number for each file.
using PerFile = std::array<std::uint64_t, schema::tables.size()>;

class OwnRows {
 public:
  explicit OwnRows(RowContext const& context) : context_(context) {}

  // Counts the rows and their bytes; those of communicators are added, since they may change. is_detailed: includes
  // rows that a profile of sums has only for few ranks.
  void count(bool is_detailed);
  // Adds rows after this process's own ones: write(out) returns their number. False if memory is used up.
  template <class Write>
  bool add(File file, Write&& write) {
    OfFile& of_file = files_[static_cast<std::size_t>(file)];
    return append_written(of_file.further, [&](TextWriter& out) { of_file.further_rows += write(out); });
  }

  // Calls deliver(file, text) with pieces of the text of one file after the other. The process's own rows are formatted
  // anew.
  template <class Deliver>
  void deliver(Deliver&& deliver) const {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      auto const file = static_cast<File>(i);
      format(
          file, [](void* to, File of, std::string_view text) { (*static_cast<Deliver*>(to))(of, text); }, &deliver);
      deliver(file, {files_[i].further.begin(), files_[i].further.size()});
    }
  }

  PerFile rows() const;
  PerFile bytes() const;

 private:
  struct OfFile {
    std::uint64_t rows = 0, bytes = 0;  // of this process
    std::uint64_t further_rows = 0;
    PageVector<char> further;
  };
  using Take = void (*)(void* to, File file, std::string_view text);

  // Returns the number of rows.
  std::uint64_t format(File file, Take take, void* to) const;
  bool has(File file) const;

  RowContext const& context_;
  bool is_detailed_ = true;
  std::array<OfFile, schema::tables.size()> files_;
};

// Chooses the ranks that have rows of their own in a profile that otherwise has sums: ranks with extreme values, some
// others, and those that send most.
struct DetailedRanks {
  static constexpr int most = 64;

  int count = 0;
  int ranks[most]{};  // ascending

  bool contain(int rank) const { return std::binary_search(ranks, ranks + count, rank); }
  // Ignores ranks beyond the limit.
  void add(int rank);
};

// Candidates for these ranks among some of the processes. Trivially copyable; its size does not depend on the number of
// processes.
class Candidates {
 public:
  // most_bytes: the most that this process sent to another one.
  void take(RowContext const& context, std::uint64_t most_bytes);
  void merge(Candidates const& others);
  // sums: over all of so many ranks.
  void choose(Sums const& sums, int ranks, DetailedRanks& chosen) const;

 private:
  struct Value {
    std::uint64_t value = 0;
    std::int32_t rank = -1;
  };
  struct Extremes {
    Value least, most;
    void take(Value value);
  };
  static constexpr int most_senders = 8;

  void take_sender(Value bytes);

  Extremes wall_, mpi_, outside_, caused_;
  Value senders_[most_senders]{};  // descending by bytes to one process
  int sender_count_ = 0;
};

}  // namespace commprof
