// The rows of a profile's tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "calls/families.hpp"
#include "files/names.hpp"
#include "files/rank_set.hpp"
#include "profile/schema.hpp"
#include "reader/seconds.hpp"

namespace mpisee_through {

// The problem with rows whose sum would overflow.
inline constexpr std::string_view beyond_counting = "the numbers add up to more than can be counted";

class Profile;

// Text in rows is as in the file, and valid until next(). Pass it through visible() before printing it.

// One for each rank that is not missing, ascending.
struct RankRow {
  WorldRank rank;
  std::string_view host;
  std::string_view cpus;  // processors that the process may run on, in the notation of RankSet; empty if unknown
  std::string_view package, numa, core;  // their location, in the same notation
  std::uint64_t threads;                 // that called MPI
  double wall_s;
  double mpi_s;
  std::optional<double> cpu_s;                        // processor time
  std::optional<double> queued_s;                     // waiting for a processor
  std::optional<double> queued_outside_s;             // the part of queued_s outside MPI
  std::optional<double> queued_inside_s;              // in calls, while nobody was waited for
  std::optional<std::uint64_t> involuntary_switches;  // times that another thread got the processor
  std::optional<double> waiting_s;                    // measured waiting for other ranks
  std::optional<double> waiting_error_s;              // standard error of waiting_s
  std::optional<double> caused_s;                     // waiting of others that the rank causes
  // The parts of the wall time that are in none of these, nor waiting_s.
  std::optional<double> work_s, moving_s, other_s, unknown_s;
  std::optional<std::uint64_t> threads_at_once;  // most threads that called MPI and lived at the same time
  std::optional<std::uint64_t> max_rss_bytes;    // most resident memory
  std::optional<double> throttled_s;             // stopped by a limit of its cgroup, summed over processors
  std::optional<double> stolen_s;                // of each processor of the host, by the hypervisor
};

struct CommunicatorRow {
  std::string_view name;
  std::string_view parent;
  std::string_view created_by;  // "Comm_split"; empty for the roots
  std::uint64_t size;
  std::string_view members;
  RankSet member_ranks;  // ascending, all below the number of ranks; empty if members is empty or has only their number
  std::string_view topology;
  std::string_view reorder;  // "0", "1", or empty if the creating call has no such argument
  std::string_view user_name;
  bool freed;
  std::string_view created_at;  // a site; empty if unknown
};

// Inclusive bounds of the bytes that one call transfers on one process.
struct SizeBin {
  std::uint64_t min_bytes;
  std::uint64_t max_bytes;

  auto operator<=>(SizeBin const&) const = default;
};

// Ascending by rank, so that a reader can sum one rank at a time.
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
  std::string_view site;  // empty if unknown
};

// A place in the program that calls MPI. The last three members are empty until the site has been resolved.
struct SiteRow {
  std::string_view site;    // module+0xoffset
  std::string_view module;  // file name of a program or library, without its directory
  std::uint64_t offset;     // in the module's file, as its own addresses count
  std::string_view function;
  std::string_view file;
  std::string_view line;
};

struct ModuleRow {
  std::string_view module;
  std::string_view path;
  std::string_view build_id;  // hexadecimal; empty if the module has none
};

// The cause of a message.
enum class TrafficClass : std::uint8_t {
  p2p,       // the program sent it
  rma,       // a one-sided call of the program moved it
  internal,  // the MPI library sent it, mostly for a collective operation
  network,   // the MPI library gave it to its transport, for messages of the other classes or for itself
  estimate,  // from the bytes of a collective operation; in no file
};
inline constexpr auto traffic_classes = names_in_order<TrafficClass>(commprof::schema::message_classes);
inline constexpr auto classes_with_estimate = traffic_classes.with(TrafficClass::estimate, "estimate");
[[nodiscard]] constexpr std::string_view name_of(TrafficClass one) { return classes_with_estimate.of(one); }
[[nodiscard]] constexpr auto const& names_in_files(TrafficClass) { return traffic_classes; }

// Stands for a rank of another world: that of a spawned process, or of the one that spawned. Sorts last.
inline constexpr WorldRank other_world{UINT32_MAX};

// Messages from one rank to another.
struct PeerRow {
  std::string_view region;
  std::string_view communicator;
  TrafficClass traffic_class;
  WorldRank from;
  WorldRank to;
  SizeBin size;
  std::uint64_t messages;
  std::uint64_t bytes;
  std::string_view operation;  // the cause of an internal message; empty for other classes
  std::optional<std::uint64_t> call_size_min{}, call_size_max{};  // bounds of the size of that call
};

// Messages from one host to another. Both hosts are `*` if there was no room for the pair.
struct HostPairRow {
  TrafficClass traffic_class;
  std::string_view from;  // empty for another world
  std::string_view to;
  std::uint64_t messages;
  std::uint64_t bytes;
};

// Times exclude the regions nested in this one.
struct RegionRow {
  std::string_view region;  // a path: solve/halo
  WorldRank rank;
  std::uint64_t entered;
  double wall_s;
  double mpi_s;
  std::optional<double> queued_outside_s;
};

using commprof::WaitKind;
inline constexpr auto wait_kinds = names_in_order<WaitKind>(commprof::wait_kind_names);
[[nodiscard]] constexpr auto const& names_in_files(WaitKind) { return wait_kinds; }

// What the calls of an operation wait for at a call site, summed over ranks and scaled from instants to all calls.
struct WaitRow {
  WaitKind kind;  // older profiles may have collectives only
  std::string_view communicator;
  std::string_view operation;
  std::string_view site;  // empty if unknown, as of collectives in older profiles
  std::uint64_t ranks;
  std::uint64_t calls;                    // by all ranks
  std::optional<std::uint64_t> instants;  // at which something is known; older profiles sampled collectives otherwise
  double time_s;
  double wait_s;
  std::optional<double> wait_error_s;   // standard error
  std::optional<double> unknown_share;  // the share of the instants at which it is not known whether the call waits
  std::optional<WorldRank> last_rank;   // the rank that is waited for most
  std::optional<double> last_share;
  std::optional<WorldRank> caused_by;  // the rank that causes most
  std::optional<double> caused_share;
  std::optional<double> pattern_share;  // waiting that no rank causes by doing more than others; not in older profiles
};

struct RankWaitRow {
  WaitKind kind;
  std::string_view communicator;
  std::string_view operation;
  std::string_view site;
  WorldRank rank;
  std::optional<std::uint64_t> instants;
  double time_s;
  double wait_s;
  std::optional<double> unknown_share;
};

// How long a rank waits for another one in an operation.
struct PairWaitRow {
  WaitKind kind;
  std::string_view communicator;
  std::string_view operation;
  WorldRank rank;
  WorldRank for_rank;
  double wait_s;
  double wait_error_s;
};

// The waiting of others that a rank causes, because it has done more before such calls.
struct CauseRow {
  WorldRank rank;
  std::string_view communicator;
  std::string_view operation;
  std::string_view site;  // empty if unknown
  double caused_s;
  double caused_error_s;
  double direct_s;  // the part of those who wait for these calls
};

// The kinds of calls that windows of time tell apart.
using commprof::CallKind;
inline constexpr auto window_kinds = names_in_order<CallKind>(commprof::call_kind_names);
[[nodiscard]] constexpr auto const& names_in_files(CallKind) { return window_kinds; }

// What neighbouring ranks did in one window of time, in calls of one kind.
struct WhenRow {
  std::string_view ranks;
  std::uint32_t first, last;  // rank
  double begin_s, end_s;      // since the first MPI_Init
  CallKind kind;
  std::uint64_t calls, bytes;
  double mpi_s;  // summed over ranks and threads
};

// A sum over ranks, and over each field without a value of its own: is_several() for region, communicator, site and
// operation; nothing for the size. Rows of a communicator are adjacent; those with a size are details.
struct SummaryRow {
  std::string_view region;
  std::string_view communicator;
  std::optional<std::uint64_t> communicator_size;  // nothing if the communicator is "several"
  std::string_view site;
  std::string_view operation;
  std::optional<SizeBin> size;
  std::uint64_t ranks;  // ranks with at least one call
  std::uint64_t calls;
  std::uint64_t bytes_sent;
  std::uint64_t bytes_received;
  Seconds time_s;
  Seconds least_s, most_s;       // of the rank with the least time, and of the rank with the most
  double shortest_s, longest_s;  // of a call
};

[[nodiscard]] inline bool is_several(std::string_view field) { return field == commprof::schema::several; }

// Reads the rows of a table in order. tables.cpp declares the fields of each Row, and its checks.
template <class Row>
class Rows {
 public:
  // Throws ProfileError if the profile was written without the file.
  explicit Rows(Profile const& profile);
  Rows(Rows&&) noexcept;
  ~Rows();

  Row const* next(bool has_details = true);  // null at the end; has_details: also rows in more detail
  [[noreturn]] void fail(std::string_view problem) const;

  // Divides the table for read_in_parts(). Rows that belong together stay in one part.
  static std::vector<Rows> parts(Profile const& profile);
  static void check_row_count(Profile const& profile, std::uint64_t rows);  // the table's own, or that in run.json
  [[noreturn]] static void fail(Profile const& profile, std::string_view problem);  // of no single row
  [[nodiscard]] std::uint64_t rows_read() const;

 private:
  struct File;
  explicit Rows(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
  bool is_whole_ = false;  // no part
};

using RankRows = Rows<RankRow>;

// Whether the text has the number of members, because listing their ranks would be too long.
[[nodiscard]] bool is_number_of_members(std::string_view members);

}  // namespace mpisee_through
