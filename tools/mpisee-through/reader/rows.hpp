// The rows of a profile's tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "files/names.hpp"
#include "files/rank_set.hpp"
#include "profile/schema.hpp"
#include "reader/seconds.hpp"

namespace mpisee_through {

// What is wrong with rows whose sum would overflow.
inline constexpr std::string_view beyond_counting = "the numbers add up to more than can be counted";

class Profile;

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
inline constexpr Names<TrafficClass, 3> traffic_classes{{{{TrafficClass::p2p, commprof::schema::class_p2p},
                                                          {TrafficClass::rma, commprof::schema::class_rma},
                                                          {TrafficClass::internal, commprof::schema::class_internal}}}};
[[nodiscard]] constexpr std::string_view name_of(TrafficClass one) { return traffic_classes.of(one); }

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
  std::string_view how;
  bool is_upper_bound;  // wait_s
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

// The sum over ranks of all that its fields do not exclude: is_several() of region, communicator, site and operation,
// and no size. Text is as in the file, valid until next().
struct SummaryRow {
  std::string_view region;
  std::string_view communicator;
  std::optional<std::uint64_t> communicator_size;  // nothing of several
  std::string_view site;
  std::string_view operation;
  std::optional<SizeBin> size;
  std::uint64_t ranks;  // that have a part in it
  std::uint64_t calls;
  std::uint64_t bytes_sent;
  std::uint64_t bytes_received;
  Seconds time_s;
  Seconds least_s, most_s;  // of one rank
  WorldRank least_rank, most_rank;
  double shortest_s, longest_s;  // calls
};

[[nodiscard]] inline bool is_several(std::string_view field) { return field == commprof::schema::several; }

// An operation with one class of sizes, on all communicators.
struct SizeRow {
  std::string_view operation;
  SizeBin size;
  std::uint64_t calls;
  std::uint64_t bytes_sent;
  std::uint64_t bytes_received;
  Seconds time_s;
};

// How much is read of rows that are in more detail than others: all, their first fields, or nothing of the rows.
enum class Details : std::uint8_t { all, brief, none };

// The rows of a table, from first to last. What the columns of a Row are, and what is checked of them, is in
// tables.cpp.
template <class Row>
class Rows {
 public:
  // Throws ProfileError for a profile that was written without the file.
  explicit Rows(Profile const& profile);
  Rows(Rows&&) noexcept;
  ~Rows();

  Row const* next(Details details = Details::all);  // null at the end
  [[noreturn]] void fail(std::string_view problem) const;

  // For read_in_parts(). Rows that belong together are in one part.
  static std::vector<Rows> parts(Profile const& profile);
  static void check_row_count(Profile const& profile, std::uint64_t rows);
  [[nodiscard]] std::uint64_t rows_read() const;

 private:
  struct File;
  explicit Rows(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

using RankRows = Rows<RankRow>;  // exactly one for each rank that is not missing, in order
using CommunicatorRows = Rows<CommunicatorRow>;
using OperationRows = Rows<OperationRow>;  // in the order of ranks: to add up a rank needs no memory for the others
using PeerRows = Rows<PeerRow>;
using HostPairRows = Rows<HostPairRow>;
using SiteRows = Rows<SiteRow>;
using ModuleRows = Rows<ModuleRow>;
using RegionRows = Rows<RegionRow>;
using WaitRows = Rows<WaitRow>;
using RankWaitRows = Rows<RankWaitRow>;
using SummaryRows = Rows<SummaryRow>;  // those of a communicator are adjacent; rows with a size are details
using SizeRows = Rows<SizeRow>;

// Whether the text has the number of the members instead of their ranks, of which there are too many.
[[nodiscard]] bool is_number_of_members(std::string_view members);

}  // namespace mpisee_through
