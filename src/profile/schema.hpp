// The files and columns of a profile, and their version.
//
// The library writes files by this header, and mpisee-through reads them by it; docs/profile.md says what each column
// is, and tests check it. Names and columns are a contract with users: they are only added. A reader finds columns by
// name and ignores unknown ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

namespace commprof::schema {

// Incremented if a reader of the old version would misread a new file; new columns do not change it.
inline constexpr int version = 2;

// The contents of a column's fields.
enum class Kind : std::uint8_t {
  text,       // any characters, or none
  name,       // any characters, at least one
  word,       // at least one character, none of which needs quotes
  rank_list,  // ranks or processors in ranges with stride: 0-63,128-191 or 0-192:64
  flag,       // 0 or 1
  offset,     // hexadecimal: 0x4a2f
  count,      // a whole number
  rank,       // in MPI_COMM_WORLD
  peer,       // a rank in MPI_COMM_WORLD, or -1 for a process of another world
  seconds,    // nine decimals
  share,      // 0 to 1, with nine decimals
};
enum class Field : std::uint8_t {
  required,
  optional,  // may be empty if unknown
  later,     // optional; older profiles lack the column
};
inline constexpr Field optional = Field::optional, later = Field::later;

struct Column {
  std::string_view name;
  Kind kind;
  Field field = Field::required;
};

// The header line, as RFC 4180 has it.
template <auto const& columns>
inline constexpr auto header_line = [] {
  constexpr std::size_t length = [] {
    std::size_t sum = std::size(columns) - 1;
    for (Column const& one : columns) sum += one.name.size();
    return sum;
  }();
  std::array<char, length> text{};
  char* at = text.data();
  for (Column const& one : columns) {
    if (at != text.data()) *at++ = ',';
    for (char const c : one.name) *at++ = c;
  }
  return text;
}();

struct File {
  std::string_view name;
  std::span<Column const> columns;
  std::string_view header;

  // The index of a column; the number of columns if the name is unknown.
  constexpr std::size_t place(std::string_view column) const {
    std::size_t i = 0;
    while (i < columns.size() && columns[i].name != column) ++i;
    return i;
  }
};

template <auto const& columns>
constexpr File file(std::string_view name) {
  return {name, columns, {header_line<columns>.data(), header_line<columns>.size()}};
}

inline constexpr Kind text = Kind::text, name = Kind::name, word = Kind::word, rank_list = Kind::rank_list,
                      flag = Kind::flag, offset = Kind::offset, count = Kind::count, rank = Kind::rank,
                      peer = Kind::peer, seconds = Kind::seconds, share = Kind::share;

// One row for each (region, communicator, world rank, operation, size bin, call site) with calls. The site is empty if
// unknown. Size bounds are inclusive: bytes that one call sends and receives on one process. Times are seconds.
inline constexpr Column operations_columns[]{{"region", text},
                                             {"comm", word},
                                             {"comm_size", count},
                                             {"rank", rank},
                                             {"op", word},
                                             {"size_min", count},
                                             {"size_max", count},
                                             {"calls", count},
                                             {"bytes_sent", count},
                                             {"bytes_received", count},
                                             {"time_s", seconds},
                                             {"time_min_s", seconds},
                                             {"time_max_s", seconds},
                                             {"site", text, later}};
inline constexpr File operations = file<operations_columns>("operations.csv");

// One row for each communicator.
inline constexpr Column communicators_columns[]{{"comm", word},
                                                {"parent", word, optional},
                                                {"created_by", word, optional},
                                                {"size", count},
                                                {"members", rank_list, optional},
                                                {"topology", text},
                                                {"reorder", flag, optional},
                                                {"user_name", text},
                                                {"freed", flag},
                                                {"created_at", text, later}};
inline constexpr File communicators = file<communicators_columns>("communicators.csv");

// One row for each process of MPI_COMM_WORLD. cpu_s to involuntary_switches are the system's counters during wall_s;
// see base/process.hpp. waiting_s: measured waiting: the sum of wait_s in waits_by_rank.csv but for pending and
// Finalize; empty without these files. waiting_error_s: its standard error. caused_s: the sum of the rank's caused_s in
// causes.csv. finalize_s: after wall_s, until all processes were in MPI_Finalize. queued_outside_s: the part of
// queued_s outside MPI. queued_inside_s: that in calls, while nobody was waited for. work_s, queued_outside_s,
// queued_inside_s, waiting_s, moving_s, other_s and unknown_s add up to wall_s of each of threads_at_once. package,
// numa and core are those of the processors in cpus; see profile/processors.hpp. threads: how many called MPI;
// threads_at_once: how many of these lived at the same time, at most. max_rss_bytes: the most memory that was resident
// since the process began. throttled_s: how long limits of processor time have stopped processes of its cgroup, summed
// over processors. stolen_s: how long the hypervisor has taken each processor of the host, on average.
inline constexpr Column ranks_columns[]{{"rank", rank},
                                        {"host", text},
                                        {"pid", count},
                                        {"cpus", rank_list, optional},
                                        {"threads", count},
                                        {"wall_s", seconds},
                                        {"mpi_s", seconds},
                                        {"cpu_s", seconds, later},
                                        {"queued_s", seconds, later},
                                        {"voluntary_switches", count, later},
                                        {"involuntary_switches", count, later},
                                        {"waiting_s", seconds, later},
                                        {"package", rank_list, later},
                                        {"numa", rank_list, later},
                                        {"core", rank_list, later},
                                        {"threads_at_once", count, later},
                                        {"max_rss_bytes", count, later},
                                        {"waiting_error_s", seconds, later},
                                        {"caused_s", seconds, later},
                                        {"finalize_s", seconds, later},
                                        {"queued_outside_s", seconds, later},
                                        {"work_s", seconds, later},
                                        {"moving_s", seconds, later},
                                        {"other_s", seconds, later},
                                        {"unknown_s", seconds, later},
                                        {"throttled_s", seconds, later},
                                        {"stolen_s", seconds, later},
                                        {"queued_inside_s", seconds, later}};
inline constexpr File ranks = file<ranks_columns>("ranks.csv");

// One row for each region that a process entered.
inline constexpr Column regions_columns[]{{"region", name},   {"rank", rank},
                                          {"entered", count}, {"wall_s", seconds},
                                          {"mpi_s", seconds}, {"queued_outside_s", seconds, later}};
inline constexpr File regions = file<regions_columns>("regions.csv");

// One row for each (region, communicator, class, pair of world ranks, size bin, operation) with messages from src to
// dst. A rank of another world is -1.
inline constexpr Column peers_columns[]{{"region", text},
                                        {"comm", word},
                                        {"class", word},
                                        {"src", peer},
                                        {"dst", peer},
                                        {"size_min", count},
                                        {"size_max", count},
                                        {"messages", count},
                                        {"bytes", count},
                                        {"op", word, optional},
                                        {"call_size_min", count, later},
                                        {"call_size_max", count, later}};
inline constexpr File peers = file<peers_columns>("peers.csv");

// One row for each call site.
inline constexpr Column sites_columns[]{{"site", name},     {"module", text}, {"offset", offset},
                                        {"function", text}, {"file", text},   {"line", text}};
inline constexpr File sites = file<sites_columns>("sites.csv");

// One row for each program or library with call sites.
inline constexpr Column modules_columns[]{{"module", text}, {"path", text}, {"build_id", word, optional}};
inline constexpr File modules = file<modules_columns>("modules.csv");

// What calls wait for. One row for each kind, communicator, operation and call site with calls in which something is
// known.
inline constexpr Column waits_columns[]{{"kind", word, later},
                                        {"comm", word},
                                        {"op", word},
                                        {"site", text, later},
                                        {"ranks", count},
                                        {"calls", count},
                                        {"instants", count, later},
                                        {"time_s", seconds},
                                        {"wait_s", seconds},
                                        {"wait_error_s", seconds, optional},
                                        {"unknown_share", share, later},
                                        {"last_rank", rank, optional},
                                        {"last_share", share, optional},
                                        {"caused_by", rank, later},
                                        {"caused_share", share, later},
                                        {"pattern_share", share, later}};
inline constexpr File waits = file<waits_columns>("waits.csv");

// The waiting of each world rank, by the rows of waits.csv.
inline constexpr Column waits_by_rank_columns[]{
    {"kind", word, later}, {"comm", word},      {"op", word},
    {"site", text, later}, {"rank", rank},      {"instants", count, later},
    {"time_s", seconds},   {"wait_s", seconds}, {"unknown_share", share, later}};
inline constexpr File waits_by_rank = file<waits_by_rank_columns>("waits_by_rank.csv");

// Whom each rank waits for: at most 16 rows for a rank, communicator and operation.
inline constexpr Column waits_by_pair_columns[]{{"kind", word},           {"comm", word},     {"op", word},
                                                {"rank", rank},           {"for_rank", rank}, {"wait_s", seconds},
                                                {"wait_error_s", seconds}};
inline constexpr File waits_by_pair = file<waits_by_pair_columns>("waits_by_pair.csv");

// What a rank causes: a row for each communicator, operation and call site of its calls by which it comes late.
inline constexpr Column causes_columns[]{{"rank", rank},       {"comm", word, optional}, {"op", word, optional},
                                         {"site", text},       {"caused_s", seconds},    {"caused_error_s", seconds},
                                         {"direct_s", seconds}};
inline constexpr File causes = file<causes_columns>("causes.csv");

// What ranks did in each window of time, by the kind of call.
inline constexpr Column when_columns[]{{"rank", rank_list}, {"begin_s", seconds}, {"end_s", seconds}, {"kind", word},
                                       {"calls", count},    {"bytes", count},     {"mpi_s", seconds}};
inline constexpr File when = file<when_columns>("when.csv");

// The rows of operations.csv, summed over ranks. `*` in region, comm or site means several; in op, all operations.
inline constexpr Column summary_columns[]{{"region", text},
                                          {"comm", name},
                                          {"comm_size", count, optional},
                                          {"site", text},
                                          {"op", word},
                                          {"size_min", count, optional},
                                          {"size_max", count, optional},
                                          {"ranks", count},
                                          {"calls", count},
                                          {"bytes_sent", count},
                                          {"bytes_received", count},
                                          {"time_s", seconds},
                                          {"time_min_s", seconds},
                                          {"time_min_rank", rank},
                                          {"time_max_s", seconds},
                                          {"time_max_rank", rank},
                                          {"call_min_s", seconds},
                                          {"call_max_s", seconds},
                                          {"level", word, later}};
inline constexpr File summary = file<summary_columns>("summary.csv");
inline constexpr std::string_view several = "*";
inline constexpr std::string_view level_communicator = "communicator", level_operation = "operation",
                                  level_site = "site", level_size = "size", level_part = "part", level_all = "all";

// The rows of peers.csv, summed by class and by the hosts of both ends. Written if only a few ranks have rows of their
// own.
inline constexpr Column host_pairs_columns[]{
    {"class", word}, {"src_host", text}, {"dst_host", text}, {"messages", count}, {"bytes", count}};
inline constexpr File host_pairs = file<host_pairs_columns>("host_pairs.csv");

// The level of thread support in run.json, as MPI names it.
inline constexpr std::string_view thread_single = "single", thread_funneled = "funneled",
                                  thread_serialized = "serialized", thread_multiple = "multiple";

// The classes of messages, in the order of MessageClass.
inline constexpr std::string_view class_p2p = "p2p", class_rma = "rma", class_internal = "internal",
                                  class_network = "network";
inline constexpr std::array message_classes{class_p2p, class_rma, class_internal, class_network};

// All tables, in the order in which run.json lists them.
inline constexpr std::array tables{operations, communicators, ranks,   regions,    peers,         sites,  modules,
                                   waits,      waits_by_rank, summary, host_pairs, waits_by_pair, causes, when};

inline constexpr std::string_view run_file = "run.json";

// Appended to the name of a polling operation for calls that completed or found nothing: Test-none, Iprobe-none.
inline constexpr std::string_view found_nothing_suffix = "-none";
// Appended to the name of an operation for calls that had not ended when the run did: Recv-unfinished.
inline constexpr std::string_view unfinished_suffix = "-unfinished";

}  // namespace commprof::schema

namespace commprof {

// In the order of schema::tables.
enum class File : int {
  operations,
  communicators,
  ranks,
  regions,
  peers,
  sites,
  modules,
  waits,
  waits_by_rank,
  summary,
  host_pairs,
  waits_by_pair,
  causes,
  when,
  count_
};
static_assert(static_cast<std::size_t>(File::count_) == schema::tables.size());

// Whether a profile has the file. is_of_sums: only a few ranks have rows of their own.
constexpr bool is_in_profile(File file, bool is_of_sums) { return is_of_sums || file != File::host_pairs; }

}  // namespace commprof
