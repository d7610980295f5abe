// Reads a profile: the directory that libcommprof.so writes when a program finalizes MPI.
//
// profile/schema.hpp, shared with the writer, names the files and columns; this header gives them types. run.json is
// small and read at once. Tables are read row by row into one buffer, so memory does not grow with the profile; the
// caller decides what to sum.
//
//   Profile const profile(path);                 // run.json, and which files there are
//   Rows<OperationRow> rows(profile);
//   while (OperationRow const* row = rows.next()) …
//
// Reading ends at the first problem in a file with a ProfileError that names file and line. The reader checks each row
// by itself; a caller that compares rows reports problems through fail(), which also names the line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "files/profile_error.hpp"
#include "files/rank_set.hpp"
#include "files/temporary_directory.hpp"
#include "profile/schema.hpp"
#include "reader/rows.hpp"
#include "waiting/situation.hpp"

namespace mpisee_through {

struct MessageTotal {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// All text is visible text. Members are empty if the profile leaves them out; those marked as required are always
// there.
struct Run {
  std::string program;  // required
  std::vector<std::string> arguments;
  std::string mpi_library;
  std::string mpi_version;
  std::uint32_t ranks = 0;  // required, at least 1
  std::string start;        // UTC, ISO 8601
  std::string profiler_version;
  std::map<std::string, std::string, std::less<>> options;  // the profiler's effective options, by environment variable
  double wall_s = 0;                                        // required; the longest of all ranks
  std::string parent_program, parent_comm;                  // of a spawned world, if known
  // Events that were lost, and that were counted together for lack of room: kind and number, in the order of the file.
  std::vector<std::pair<std::string, std::uint64_t>> dropped;
  std::vector<std::pair<std::string, std::uint64_t>> folded;
  std::vector<std::pair<std::string, std::uint64_t>>
      not_sampled;  // calls that are missing from waits.csv: kind and number
  std::vector<std::string>
      not_seen;  // functions of a newer MPI that the program calls without the profiler's knowledge
  // What the user excluded: everything outside `only`, unless that is empty, and everything in `without`.
  struct LeftOut {
    std::vector<std::string> only, without;
  };
  std::optional<LeftOut> operations_left_out, communicators_left_out;
  std::map<std::string, std::uint64_t, std::less<>> rows_of_file;
  // The ranks that have rows of their own, if only sums cover all ranks (COMMPROF_DETAIL).
  std::optional<RankSet> detailed_ranks;
  // The messages of all ranks, counted when the profile was written.
  struct Messages {
    struct Pair {
      WorldRank from;
      WorldRank to;
      MessageTotal amount;
      std::uint64_t others;  // number of other pairs with about as many bytes
    };
    MessageTotal total;
    MessageTotal of_program;              // classes p2p and rma
    MessageTotal network;                 // class network, which is not in the total
    std::optional<MessageTotal> to_self;  // of the total; unknown in older profiles
    bool is_busiest_known = false;
    std::optional<Pair> busiest{};  // nothing if no message had data
  };
  std::optional<Messages> messages;
  // The windows of time in when.csv.
  struct Windows {
    double width_s;
    bool has_common_clock;  // otherwise times are since each rank's own MPI_Init
  };
  std::optional<Windows> windows;
  // Facts of a profile that was recovered from the spool files of killed processes.
  struct Unfinished {
    RankSet missing;           // ranks without a usable spool file
    std::string on_nodes;      // where nodes may still have their spool files; empty if nowhere
    double last_record_s = 0;  // since the start
    // The first call of MPI_Abort.
    struct Aborted {
      std::int64_t rank = 0;
      std::int64_t code = 0;
    };
    std::optional<Aborted> aborted;
    bool is_end_known = false;                   // false: the run lasted at least its wall time
    std::optional<std::int64_t> interrupted_by;  // the signal that ended the job's command, if its launcher saw it
    std::optional<std::int64_t> exit_code;       // of the job's command
    double in_calls_s = 0;                       // in calls that did not end, of all threads
    // How the run ended, in words.
    [[nodiscard]] std::string how() const;
    // Whether ranks wait for each other in vain.
    [[nodiscard]] bool is_stuck() const { return state && (state->stuck_ranks > 0 || !state->mismatches.empty()); }
    RankSet queues_unknown;  // ranks whose waiting for processors is not known
    std::vector<std::string> problems;
    std::optional<Situation> state;          // what the processes were doing
    std::shared_ptr<Json const> as_written;  // all of this
  };
  std::optional<Unfinished> unfinished;

  // "Open MPI v4.1.4", "MPICH 4.0.2", without the details of the library's build.
  [[nodiscard]] std::string short_library() const;
  [[nodiscard]] bool lacks_ranks() const { return unfinished && !unfinished->missing.empty(); }
  // Whether the run lasted at least its wall time.
  [[nodiscard]] bool is_longer() const { return unfinished && !unfinished->is_end_known; }
  // Whether shares of the whole run say how well it works: it has ended as it should, or was ended amidst its work, so
  // that next to no time is in calls that did not end.
  [[nodiscard]] bool has_efficiencies() const;
  [[nodiscard]] bool has_only_sums() const { return detailed_ranks.has_value(); }
  // Whether no call was counted, although nothing was excluded.
  [[nodiscard]] bool has_no_calls() const;
};

// The command line of the run, quoted for a shell.
[[nodiscard]] std::string command_of(Run const& run);

// Reads run.json. Throws ProfileError, also if its schema is newer than ours.
[[nodiscard]] Run read_run(FileToRead const& run_json);

// The number of threads that can run at the same time: the processors that this process may use.
[[nodiscard]] std::size_t threads_at_once();

// Calls run(0) to run(count - 1), in as many threads. If several calls throw, rethrows the exception of the lowest
// number: so the first error in a file is reported.
void run_in_parallel(std::size_t count, std::function<void(std::size_t)> const& run);

// Writes what add(text, i) appends for 0 to count, in order. All threads format.
template <class Add>
void write_in_order(std::ostream& out, std::size_t count, Add const& add) {
  constexpr std::size_t of_one_text = 256;
  std::vector<std::string> texts(16 * threads_at_once());
  for (std::size_t begin = 0; begin < count; begin += texts.size() * of_one_text) {
    auto const begin_of = [&](std::size_t text) { return std::min(count, begin + text * of_one_text); };
    std::size_t const used = std::min(texts.size(), (count - begin + of_one_text - 1) / of_one_text);
    run_in_parallel(used, [&](std::size_t i) {
      texts[i].clear();
      for (std::size_t line = begin_of(i); line < begin_of(i + 1); ++line) add(texts[i], line);
    });
    for (std::size_t i = 0; i < used; ++i) out << texts[i];
  }
}

// Finds the files of a profile.
class ProfileFiles {
 public:
  // path: a directory, or a file of a profile in its directory. An unfinished profile is recovered from its spool files
  // into a temporary directory. Throws ProfileError.
  explicit ProfileFiles(std::filesystem::path const& path);

  // The directory, as the user named it.
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  // name: one of the schema's. The file may not exist.
  [[nodiscard]] FileToRead file(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;
  // Whether new files can be added: the profile is not a recovered one.
  [[nodiscard]] bool are_in_place() const { return recovered_ == nullptr; }

 private:
  std::filesystem::path path_, opened_;
  std::shared_ptr<TemporaryDirectory const> recovered_;
};

class Profile {
 public:
  // The profile's directory, or any of its files. Throws ProfileError.
  explicit Profile(std::filesystem::path const& path);

  // As the user named it.
  [[nodiscard]] std::filesystem::path const& directory() const { return files_.path(); }
  [[nodiscard]] ProfileFiles const& files() const { return files_; }
  [[nodiscard]] Run const& run() const { return run_; }
  [[nodiscard]] std::optional<std::uint64_t> expected_rows(std::string_view file) const;

  // Whether the profile was written with this file; some files are optional. True also for a file that run.json counts
  // and that has disappeared.
  [[nodiscard]] bool holds(commprof::schema::File const& file) const;

 private:
  ProfileFiles files_;
  Run run_;
};

// Calls read(rows) for each part of the table, in several threads at the same time. Returns the results in the order of
// the file. If several parts have errors, throws the first one in the file.
template <class Rows, class Read>
auto read_in_parts(Profile const& profile, Read const& read) {
  using Result = std::invoke_result_t<Read const&, Rows&>;
  std::vector<Rows> parts = Rows::parts(profile);
  std::vector<std::optional<Result>> results(parts.size());
  run_in_parallel(parts.size(), [&](std::size_t i) { results[i].emplace(read(parts[i])); });
  std::uint64_t rows = 0;
  for (Rows const& part : parts) rows += part.rows_read();
  Rows::check_row_count(profile, rows);
  std::vector<Result> in_order;
  in_order.reserve(results.size());
  for (auto& one : results) in_order.push_back(std::move(*one));
  return in_order;
}

}  // namespace mpisee_through
