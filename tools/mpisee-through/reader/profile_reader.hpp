// Reads a profile: the directory that libcommprof.so writes when a program finalizes MPI.
//
// What the files and columns are called is in profile/schema.hpp, shared with the writer; what they mean to a program
// is here. The small file (run.json) is read whole. The tables are read row after row and nothing of them is kept, so a
// profile of any size is read in the memory of one buffer; whoever reads decides what to add up.
//
//   Profile const profile(path);                 // run.json, and which files there are
//   OperationRows rows(profile);
//   while (OperationRow const* row = rows.next()) …
//
// A problem of any file ends reading with a ProfileError that names file and line. A reader checks a row in itself; the
// caller, who knows what rows mean to each other, reports what it finds through fail(), which names the line as well.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/profile_error.hpp"
#include "profile/schema.hpp"
#include "reader/profile_files.hpp"
#include "reader/rank_set.hpp"
#include "reader/run.hpp"
#include "reader/seconds.hpp"

namespace mpisee_through {

class Profile {
 public:
  // The profile's directory, any of its files, or an archive of the directory. Throws ProfileError.
  explicit Profile(std::filesystem::path const& path);

  // As it was named: the directory, or the archive.
  [[nodiscard]] std::filesystem::path const& directory() const { return files_.path(); }
  [[nodiscard]] ProfileFiles const& files() const { return files_; }
  [[nodiscard]] Run const& run() const { return run_; }
  [[nodiscard]] std::optional<std::uint64_t> expected_rows(std::string_view file) const;

  // Whether the profile was written with this file: not all are. One that run.json counts and that is gone was.
  [[nodiscard]] bool holds(commprof::schema::File const& file) const;

 private:
  ProfileFiles files_;
  Run run_;
};

// Text in rows is as it is in the file, valid until next(): see visible() before printing it.
struct RankRow {
  WorldRank rank;
  std::string_view host;
  std::string_view cpus;                 // that the process may run on, in the notation of RankSet; empty if unknown
  std::string_view package, numa, core;  // where these are: the same notation
  double wall_s;
  double mpi_s;
  std::optional<double> cpu_s;                        // processor time
  std::optional<double> queued_s;                     // waiting for a processor
  std::optional<std::uint64_t> involuntary_switches;  // another thread got the processor
  std::optional<double> receiving_s;                  // in operations that may wait for a message
  std::optional<double> waiting_s;                    // for others, as far as it is measured
};

struct CommunicatorRow {
  std::string_view name;
  std::string_view parent;
  std::string_view created_by;  // "Comm_split"; empty for the roots
  std::uint64_t size;
  std::string_view members;
  RankSet member_ranks;  // ascending, all below the number of ranks; empty where members is, or tells only the number
  std::string_view topology;
  std::string_view reorder;  // "0", "1", or empty where the topology has none
  std::string_view user_name;
  bool freed;
  std::string_view created_at;  // a site; empty where it is not known
};

// Inclusive bounds of the bytes of one call on one process.
struct SizeBin {
  std::uint64_t min_bytes;
  std::uint64_t max_bytes;

  auto operator<=>(SizeBin const&) const = default;
};

struct OperationRow {
  std::string_view region;
  std::string_view communicator;
  std::uint64_t communicator_size;
  WorldRank rank;
  std::string_view operation;
  SizeBin size;
  std::uint64_t calls;
  std::uint64_t bytes_sent;
  std::uint64_t bytes_received;
  Seconds time_s;
  double shortest_s;
  double longest_s;
  std::string_view site;  // empty where it is not known
};

// A place in the program where MPI is called. The last three are empty until they have been resolved.
struct SiteRow {
  std::string_view site;    // module+0xoffset
  std::string_view module;  // a program or library, without its directory
  std::uint64_t offset;     // in the module's file, as addresses there are
  std::string_view function;
  std::string_view file;
  std::string_view line;
};

struct ModuleRow {
  std::string_view module;
  std::string_view path;
  std::string_view build_id;  // hexadecimal; empty if it has none
};

// How a message came about.
enum class TrafficClass : std::uint8_t {
  p2p,       // the program sent it
  rma,       // a one-sided call of the program moved it
  internal,  // the MPI sent it, for a collective operation most often
};
inline constexpr std::array<TrafficClass, 3> traffic_classes{TrafficClass::p2p, TrafficClass::rma,
                                                             TrafficClass::internal};
[[nodiscard]] std::string_view name_of(TrafficClass one);
[[nodiscard]] std::optional<TrafficClass> parse_traffic_class(std::string_view name);

// The end of a message that belongs to another world: a process that was spawned, or the one that spawned. Sorts last.
inline constexpr WorldRank other_world{UINT32_MAX};

// Data went from a rank to a rank.
struct PeerRow {
  std::string_view region;
  std::string_view communicator;
  TrafficClass traffic_class;
  WorldRank from;
  WorldRank to;
  SizeBin size;
  std::uint64_t messages;
  std::uint64_t bytes;
  std::string_view operation;  // that caused an internal message; empty for the others
};

// Data went from a host to a host. Both are `*` in a row of messages for whose hosts there was no room.
struct HostPairRow {
  TrafficClass traffic_class;
  std::string_view from;  // empty for another world
  std::string_view to;
  std::uint64_t messages;
  std::uint64_t bytes;
};

// Times without those of the regions inside this one.
struct RegionRow {
  std::string_view region;  // a path: solve/halo
  WorldRank rank;
  std::uint64_t entered;
  double wall_s;
  double mpi_s;
};

// Waiting in one blocking collective operation on a communicator, summed over ranks and scaled to all calls.
struct WaitRow {
  std::string_view communicator;
  std::string_view operation;
  std::uint64_t ranks;    // in the sample
  std::uint64_t calls;    // of all ranks
  std::uint64_t samples;  // instances, each a call of all ranks
  bool is_upper_bound;    // wait_s
  double time_s;
  double wait_s;
  std::optional<double> wait_error_s;  // standard error
  std::optional<double> move_s;
  std::optional<double> rest_s;
  std::optional<WorldRank> last_rank;  // that comes last most often
  std::optional<double> last_share;    // in this part of the instances, 0 to 1
  std::optional<double> late_s;        // after the mean of the others
};

struct RankWaitRow {
  std::string_view communicator;
  std::string_view operation;
  WorldRank rank;
  std::uint64_t samples;
  double time_s;
  double wait_s;
  std::uint64_t last;  // samples in which it came last
};

// Rows of ranks.csv: exactly one for each rank that is not missing, in order.
class RankRows {
 public:
  explicit RankRows(Profile const& profile);
  RankRows(RankRows&&) noexcept;
  ~RankRows();
  RankRow const* next();  // null at the end
  [[noreturn]] void fail(std::string_view problem);

  // For read_in_parts().
  static std::vector<RankRows> parts(Profile const& profile);
  static void check_row_count(Profile const& profile, std::uint64_t rows);
  [[nodiscard]] std::uint64_t rows_read() const;

 private:
  struct File;
  explicit RankRows(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

// Whether the text has the number of the members instead of their ranks, of which there are too many.
[[nodiscard]] bool is_number_of_members(std::string_view members);

// Rows of communicators.csv, in the order of the file.
class CommunicatorRows {
 public:
  explicit CommunicatorRows(Profile const& profile);
  ~CommunicatorRows();
  CommunicatorRow const* next();
  [[noreturn]] void fail(std::string_view problem);

 private:
  struct File;
  std::unique_ptr<File> file_;
};

// Rows of operations.csv, in ascending order of ranks, as they are written. The order is part of what is checked: who
// adds up one rank after the other needs no memory for all of them.
class OperationRows {
 public:
  explicit OperationRows(Profile const& profile);
  OperationRows(OperationRows&&) noexcept;
  ~OperationRows();
  OperationRow const* next();
  [[noreturn]] void fail(std::string_view problem);

  // For read_in_parts().
  static std::vector<OperationRows> parts(Profile const& profile);
  static void check_row_count(Profile const& profile, std::uint64_t rows);
  [[nodiscard]] std::uint64_t rows_read() const;

 private:
  struct File;
  explicit OperationRows(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

// Rows of peers.csv, in no order. Throws ProfileError for a profile that was written without the file.
class PeerRows {
 public:
  explicit PeerRows(Profile const& profile);
  PeerRows(PeerRows&&) noexcept;
  ~PeerRows();
  PeerRow const* next();
  [[noreturn]] void fail(std::string_view problem);

  // For read_in_parts().
  static std::vector<PeerRows> parts(Profile const& profile);
  static void check_row_count(Profile const& profile, std::uint64_t rows);
  [[nodiscard]] std::uint64_t rows_read() const;

 private:
  struct File;
  explicit PeerRows(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

// Rows of host_pairs.csv, in no order. Throws ProfileError for a profile that was written without the file.
class HostPairRows {
 public:
  explicit HostPairRows(Profile const& profile);
  ~HostPairRows();
  HostPairRow const* next();
  [[noreturn]] void fail(std::string_view problem);

 private:
  struct File;
  std::unique_ptr<File> file_;
};

// Rows of sites.csv and modules.csv, in no order. Throw ProfileError for a profile that was written without the file.
class SiteRows {
 public:
  explicit SiteRows(Profile const& profile);
  ~SiteRows();
  SiteRow const* next();
  [[noreturn]] void fail(std::string_view problem);

 private:
  struct File;
  std::unique_ptr<File> file_;
};

class ModuleRows {
 public:
  explicit ModuleRows(Profile const& profile);
  ~ModuleRows();
  ModuleRow const* next();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

// Rows of regions.csv, in no order. Throws ProfileError for a profile that was written without the file.
class RegionRows {
 public:
  explicit RegionRows(Profile const& profile);
  ~RegionRows();
  RegionRow const* next();
  [[noreturn]] void fail(std::string_view problem);

 private:
  struct File;
  std::unique_ptr<File> file_;
};

// Rows of waits.csv and waits_by_rank.csv, in no order. Throw ProfileError for a profile that was written without the
// file.
class WaitRows {
 public:
  explicit WaitRows(Profile const& profile);
  ~WaitRows();
  WaitRow const* next();
  [[noreturn]] void fail(std::string_view problem);

 private:
  struct File;
  std::unique_ptr<File> file_;
};

class RankWaitRows {
 public:
  explicit RankWaitRows(Profile const& profile);
  ~RankWaitRows();
  RankWaitRow const* next();
  [[noreturn]] void fail(std::string_view problem);

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace mpisee_through
