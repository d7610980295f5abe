// Writes the rows of a profile's files. Used by the processes of a run, and by the reader to recover what a killed
// process left. Knows no MPI. Code that only reads profiles needs schema.hpp alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/clock.hpp"
#include "base/dropped.hpp"
#include "base/memory.hpp"
#include "base/process.hpp"
#include "comm_naming/registry.hpp"
#include "counters/counters.hpp"
#include "message_waits/own_message_waits.hpp"
#include "profile/messages.hpp"
#include "profile/output.hpp"
#include "profile/schema.hpp"
#include "profile/sums.hpp"
#include "profile/text_writer.hpp"
#include "profile/texts.hpp"
#include "request_table/request_table.hpp"
#include "sites/sites.hpp"
#include "time_windows/time_windows.hpp"

namespace commprof {

// What each process reports about itself, and the rows that several processes send.

// Why calls of a collective operation are missing from waits.csv.
enum class NoWaits : std::uint8_t {
  folded,              // the communicator shares its record with others
  intercommunicators,  // its two groups wait for each other differently
  other,               // it has members of other worlds, or was created by unseen calls
  count_
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(NoWaits::count_)> no_waits_names{
    "folded", "intercommunicators", "other"};

// The facts that each process contributes to run.json. Sent as raw bytes, so it contains only numbers.
struct RunSummary {
  std::array<std::uint64_t, schema::tables.size()> rows{};
  std::uint64_t wall_ns = 0;             // of the slowest process
  std::uint64_t all_us = 0, mpi_us = 0;  // summed over processes: total time, and time in MPI
  std::array<std::uint64_t, dropped::names.size()> dropped{};
  std::array<std::uint64_t, dropped::folded_names.size()> folded{};
  std::array<std::uint64_t, no_waits_names.size()> no_waits{};
  MessageTotals messages;
  std::uint64_t bytes_over_limit = 0;  // size of a profile that would exceed its limit; otherwise 0

  void add(RunSummary const& other) {
    auto const add_all = [](auto& sums, auto const& values) {
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i];
    };
    add_all(rows, other.rows);
    add_all(dropped, other.dropped);
    add_all(folded, other.folded);
    add_all(no_waits, other.no_waits);
    all_us += other.all_us;
    mpi_us += other.mpi_us;
    wall_ns = std::max(wall_ns, other.wall_ns);
    messages.add(other.messages);
  }
};

// Rows that several processes send, each kept once: the first row of each name in communicators.csv, and each distinct
// row of other files.
class Offers {
 public:
  static constexpr std::array files{File::communicators, File::sites, File::modules};

  // Appends the new ones among these rows, which must be whole. False if memory is used up.
  bool take(File file, std::string_view rows) {
    auto const i = static_cast<std::size_t>(std::find(files.begin(), files.end(), file) - files.begin());
    return i == files.size() || rows_[i].add_all(rows);
  }
  bool add(Offers const& later) {
    bool is_whole = true;
    for (std::size_t i = 0; i < files.size(); ++i) is_whole = rows_[i].add(later.rows_[i]) && is_whole;
    return is_whole;
  }

  // Calls visit(file, row) for each row, without its end.
  template <class Visitor>
  void for_each(Visitor&& visit_row) const {
    for (std::size_t i = 0; i < files.size(); ++i)
      rows_[i].for_each([&](std::string_view row) { visit_row(files[i], row); });
  }
  // Visits the parts to send or receive.
  template <class Visitor>
  void visit(Visitor&& visitor) {
    for (Texts& of_file : rows_) of_file.visit(visitor);
  }

 private:
  std::array<Texts, files.size()> rows_{Texts('\n', ','), Texts('\n', '\n'), Texts('\n', '\n')};
};

// The name of an operation in the profile, until the next call: one profile is written at a time.
std::string_view operation_name(Op op, bool is_unfinished);

// Counters (Record) or messages (PeerRecord), merged and sorted by what a row is for.
template <class One>
class Merged {
 public:
  // with_own: also those of all threads of this process, which are not changed.
  explicit Merged(std::span<One const> records, bool with_own = false);
  // Merges the records of this process.
  Merged() : Merged({}, true) {}

  One const* begin() const { return records_.begin(); }
  One const* end() const { return records_.end(); }
  Ticks total_time() const {
    Ticks sum;
    for (One const& record : *this) sum += record.time;
    return sum;
  }
  std::uint64_t lost() const { return lost_; }  // calls or messages without a record, for lack of memory

 private:
  PageVector<One> records_;
  std::uint64_t lost_ = 0;
};
using MergedRecords = Merged<Record>;
using MergedPeers = Merged<PeerRecord>;

struct RowContext {
  RunFacts const& facts;
  Registry const& registry;
  Regions const& regions;
  Sites const& sites;
  MergedRecords const& records;
  MergedPeers const& peers;
  clock::Rate rate;
  Ticks wall;
  std::uint64_t threads;
  std::uint64_t threads_at_once;
  std::string_view processors;                // text of append_processors()
  std::optional<ProcessorUse> processor_use;  // nothing if the process was killed
  OwnMessageWaits const& waits;

  [[nodiscard]] Nanoseconds duration(Ticks ticks) const { return {rate.to_ns(ticks)}; }
};

// These functions write the rows of their file and return the number of rows.
std::uint64_t write_operation_rows(RowContext const& context, TextWriter& out);
std::uint64_t write_rank_row(RowContext const& context, TextWriter& out);
std::uint64_t write_region_rows(RowContext const& context, TextWriter& out);
std::uint64_t write_peer_rows(RowContext const& context, TextWriter& out);
// A communicator's waits are written by the process that writes its row.
std::uint64_t write_wait_rows(RowContext const& context, TextWriter& out);
std::uint64_t write_own_wait_rows(RowContext const& context, TextWriter& out);
std::uint64_t write_pair_wait_rows(RowContext const& context, TextWriter& out);
std::uint64_t write_cause_rows(RowContext const& context, TextWriter& out);
void count_calls_without_waits(RowContext const& context, RunSummary& summary);

// A communicator's row is written by its first process in this world, which knows the members.
bool is_row_written(Registry const& registry, std::int32_t rank, CommIndex index);
// Tells the communicators of a process to its waiting.
void take_communicators(OwnMessageWaits& own, Registry const& registry, std::int32_t rank);
std::uint64_t write_communicator_rows(RowContext const& context, TextWriter& out);

// Folded records, and communicators derived from MPI_COMM_SELF, have no single writer: each process offers its row, and
// rank 0 keeps the first.
bool is_offered(Registry const& registry, CommIndex index);
void write_communicator_row(RowContext const& context, CommIndex index, TextWriter& out);

// The functions that write rows, by file: a process's own rows, and rows that several processes may have.
struct RowWriter {
  File file;
  std::uint64_t (*write)(RowContext const& context, TextWriter& out);
};
inline constexpr std::array row_writers{RowWriter{File::operations, write_operation_rows},
                                        RowWriter{File::communicators, write_communicator_rows},
                                        RowWriter{File::ranks, write_rank_row},
                                        RowWriter{File::regions, write_region_rows},
                                        RowWriter{File::peers, write_peer_rows},
                                        RowWriter{File::waits, write_wait_rows},
                                        RowWriter{File::waits_by_rank, write_own_wait_rows},
                                        RowWriter{File::waits_by_pair, write_pair_wait_rows},
                                        RowWriter{File::causes, write_cause_rows}};

// Offer the sites that this process knows, and their modules.
std::uint64_t write_site_rows(RowContext const& context, TextWriter& out);
std::uint64_t write_module_rows(RowContext const& context, TextWriter& out);
std::uint64_t write_offered_communicator_rows(RowContext const& context, TextWriter& out);
inline constexpr std::array offer_writers{RowWriter{File::communicators, write_offered_communicator_rows},
                                          RowWriter{File::sites, write_site_rows},
                                          RowWriter{File::modules, write_module_rows}};

// Writes when.csv: what neighbouring ranks did in each window of time.

// Writes the rows of the ranks from first to last, and returns their number.
std::uint64_t write_window_rows(WindowSpan const& span, int first, int last, SummedWindows const& sums,
                                TextWriter& out);

// Requests that are not completed when a profile is written. The profile counts their receives with what is known by
// then. The table's entries do not change, so later profiles are not affected by a snapshot.
class UnfinishedRequests {
 public:
  void take(PendingRequest const& request);
  void take(StartedCall const& call);

  std::uint64_t count() const { return count_; }
  // The calls that are not counted yet, each with a record.
  PageVector<Record> const& records() const { return records_; }
  std::uint64_t lost_calls() const { return lost_calls_; }  // calls without a record, for lack of memory

 private:
  void add(RecordKey key_without_size, Volume volume, Ticks time);

  std::uint64_t count_ = 0;
  PageVector<Record> records_;
  std::uint64_t lost_calls_ = 0;
};

// The processors of this process, and their places in the host: one text that can be stored. Numbers are ranges, as in
// ranks.csv.
enum class Processors : std::uint8_t {
  cpus,     // processors that the process may run on
  package,  // their packages, numbered by the system
  numa,     // their NUMA domains, numbered by the system
  core,     // their cores, numbered within the host from 0, in the order of package, domain and processor
};
void append_processors(PageVector<char>& text);
// A part of the text; empty if it is unknown.
std::string_view part_of(std::string_view processors, Processors which);

}  // namespace commprof
