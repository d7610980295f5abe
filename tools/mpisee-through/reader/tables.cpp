// Declares the tables of a profile: the fields of each row, and checks beyond the kinds of columns.
//
// Members of Table<Row>: `fields` lists the columns to read. Optional members: `content` says what a profile without
// the file lacks; rows with equal text in column `together` stay in one part; `check` checks a row after its fields
// are read; a row with text in column `of_details` is in more detail, and may be skipped.
#include "comm_naming/comm_name.hpp"
#include "reader/rows_of_file.hpp"

namespace mpisee_through {
namespace schema = commprof::schema;

bool is_number_of_members(std::string_view members) { return members.find(commprof::folded_ranks) != members.npos; }

template <>
struct Table<RankRow> : TableOf<RankRow, schema::ranks> {
  static constexpr auto fields = std::tuple(
      Field{"rank", &Row::rank}, Field{"host", &Row::host}, Field{"cpus", &Row::cpus}, Field{"package", &Row::package},
      Field{"numa", &Row::numa}, Field{"core", &Row::core}, Field{"threads", &Row::threads},
      Field{"wall_s", &Row::wall_s}, Field{"mpi_s", &Row::mpi_s}, Field{"cpu_s", &Row::cpu_s},
      Field{"queued_s", &Row::queued_s}, Field{"queued_outside_s", &Row::queued_outside_s},
      Field{"queued_inside_s", &Row::queued_inside_s}, Field{"involuntary_switches", &Row::involuntary_switches},
      Field{"waiting_s", &Row::waiting_s}, Field{"waiting_error_s", &Row::waiting_error_s},
      Field{"caused_s", &Row::caused_s}, Field{"work_s", &Row::work_s}, Field{"moving_s", &Row::moving_s},
      Field{"other_s", &Row::other_s}, Field{"unknown_s", &Row::unknown_s},
      Field{"threads_at_once", &Row::threads_at_once}, Field{"max_rss_bytes", &Row::max_rss_bytes},
      Field{"throttled_s", &Row::throttled_s}, Field{"stolen_s", &Row::stolen_s});

  static RankSet const& missing(Profile const& profile) {
    static RankSet const none;
    return profile.run().unfinished ? profile.run().unfinished->missing : none;
  }
  // Each rank has a row, whatever run.json counts.
  static std::uint64_t expected_rows(Profile const& profile) { return profile.run().ranks - missing(profile).size(); }

  static void check(Row const& row, auto& rows) {
    auto const rank = static_cast<std::uint32_t>(row.rank);
    if (rows.is_row_before) rows.next_rank = rank;
    while (missing(rows.profile).contains(WorldRank{rows.next_rank})) ++rows.next_rank;
    if (rank != rows.next_rank++) rows.fail(fmt::format("rank {} where rank {} should be", rank, rows.next_rank - 1));
  }
};

template <>
struct Table<CommunicatorRow> : TableOf<CommunicatorRow, schema::communicators> {
  static constexpr auto fields =
      std::tuple(Field{"comm", &Row::name}, Field{"parent", &Row::parent}, Field{"created_by", &Row::created_by},
                 Field{"size", &Row::size}, Field{"members", &Row::members}, Field{"topology", &Row::topology},
                 Field{"reorder", &Row::reorder}, Field{"user_name", &Row::user_name}, Field{"freed", &Row::freed},
                 Field{"created_at", &Row::created_at});

  static void check(Row& row, auto const& rows) {
    std::optional<RankSet> members =
        is_number_of_members(row.members) ? RankSet() : RankSet::parse_ascending(row.members);
    if (!members)
      rows.fail(fmt::format("members is not an ascending list of ranks: \"{}\"", row.members.substr(0, 64)));
    row.member_ranks = *std::move(members);
    if (row.member_ranks.empty()) return;
    auto const highest = static_cast<std::uint32_t>(row.member_ranks.highest());
    if (highest >= rows.ranks) rows.fail(fmt::format("member {} in a run of {} ranks", highest, rows.ranks));
  }
};

template <>
struct Table<OperationRow> : TableOf<OperationRow, schema::operations> {
  static constexpr std::string_view together = "rank";
  static constexpr auto fields = std::tuple(
      Field{"region", &Row::region}, Field{"comm", &Row::communicator}, Field{"comm_size", &Row::communicator_size},
      Field{"rank", &Row::rank}, Field{"op", &Row::operation}, Field{"size_min", &Row::size},
      Field{"calls", &Row::calls}, Field{"bytes_sent", &Row::bytes_sent}, Field{"bytes_received", &Row::bytes_received},
      Field{"time_s", &Row::time_s}, Field{"time_min_s", &Row::shortest_s}, Field{"time_max_s", &Row::longest_s},
      Field{"site", &Row::site});

  static void check(Row const& row, auto& rows) {
    auto const rank = static_cast<std::uint32_t>(row.rank);
    if (rank < rows.next_rank)
      rows.fail(fmt::format("rank {} after rank {}: rows must be in the order of ranks", rank, rows.next_rank));
    rows.next_rank = rank;
  }
};

template <>
struct Table<PeerRow> : TableOf<PeerRow, schema::peers> {
  static constexpr std::string_view content = "who talks to whom";
  static constexpr auto fields =
      std::tuple(Field{"region", &Row::region}, Field{"comm", &Row::communicator}, Field{"class", &Row::traffic_class},
                 Field{"src", &Row::from}, Field{"dst", &Row::to}, Field{"size_min", &Row::size},
                 Field{"messages", &Row::messages}, Field{"bytes", &Row::bytes}, Field{"op", &Row::operation},
                 Field{"call_size_min", &Row::call_size_min}, Field{"call_size_max", &Row::call_size_max});

  static void check(Row const& row, auto const& rows) {
    if (row.call_size_min.has_value() != row.call_size_max.has_value() || row.call_size_min > row.call_size_max)
      rows.fail("call_size_min and call_size_max are no bounds of a size");
    if (row.from == other_world && row.to == other_world) rows.fail("neither src nor dst is a rank of this run");
  }
};

template <>
struct Table<HostPairRow> : TableOf<HostPairRow, schema::host_pairs> {
  static constexpr std::string_view content = "messages by host";
  static constexpr auto fields =
      std::tuple(Field{"class", &Row::traffic_class}, Field{"src_host", &Row::from}, Field{"dst_host", &Row::to},
                 Field{"messages", &Row::messages}, Field{"bytes", &Row::bytes});
};

template <>
struct Table<SiteRow> : TableOf<SiteRow, schema::sites> {
  static constexpr std::string_view content = "call sites";
  static constexpr auto fields =
      std::tuple(Field{"site", &Row::site}, Field{"module", &Row::module}, Field{"offset", &Row::offset},
                 Field{"function", &Row::function}, Field{"file", &Row::file}, Field{"line", &Row::line});
};

template <>
struct Table<ModuleRow> : TableOf<ModuleRow, schema::modules> {
  static constexpr std::string_view content = "modules";
  static constexpr auto fields =
      std::tuple(Field{"module", &Row::module}, Field{"path", &Row::path}, Field{"build_id", &Row::build_id});
};

template <>
struct Table<RegionRow> : TableOf<RegionRow, schema::regions> {
  static constexpr std::string_view content = "times of regions";
  static constexpr auto fields = std::tuple(
      Field{"region", &Row::region}, Field{"rank", &Row::rank}, Field{"entered", &Row::entered},
      Field{"wall_s", &Row::wall_s}, Field{"mpi_s", &Row::mpi_s}, Field{"queued_outside_s", &Row::queued_outside_s});
};

template <>
struct Table<WaitRow> : TableOf<WaitRow, schema::waits> {
  static constexpr std::string_view content = "waiting times";
  static constexpr auto fields = std::tuple(
      Field{"kind", &Row::kind}, Field{"comm", &Row::communicator}, Field{"op", &Row::operation},
      Field{"site", &Row::site}, Field{"ranks", &Row::ranks}, Field{"calls", &Row::calls},
      Field{"instants", &Row::instants}, Field{"time_s", &Row::time_s}, Field{"wait_s", &Row::wait_s},
      Field{"wait_error_s", &Row::wait_error_s}, Field{"unknown_share", &Row::unknown_share},
      Field{"last_rank", &Row::last_rank}, Field{"last_share", &Row::last_share}, Field{"caused_by", &Row::caused_by},
      Field{"caused_share", &Row::caused_share}, Field{"pattern_share", &Row::pattern_share});

  static void check(Row const& row, auto const& rows) {
    if (row.last_share.value_or(0) > 1) rows.fail("last_share is greater than 1");
    if (row.unknown_share.value_or(0) > 1) rows.fail("unknown_share is greater than 1");
    // Shares have nine decimals.
    if (row.caused_share.value_or(0) + row.pattern_share.value_or(0) > 1 + 2e-9)
      rows.fail("caused_share and pattern_share add up to more than 1");
  }
};

template <>
struct Table<RankWaitRow> : TableOf<RankWaitRow, schema::waits_by_rank> {
  static constexpr std::string_view content = "waiting times of ranks";
  static constexpr auto fields = std::tuple(
      Field{"kind", &Row::kind}, Field{"comm", &Row::communicator}, Field{"op", &Row::operation},
      Field{"site", &Row::site}, Field{"rank", &Row::rank}, Field{"instants", &Row::instants},
      Field{"time_s", &Row::time_s}, Field{"wait_s", &Row::wait_s}, Field{"unknown_share", &Row::unknown_share});

  static void check(Row const& row, auto const& rows) {
    if (row.unknown_share.value_or(0) > 1) rows.fail("unknown_share is greater than 1");
  }
};

template <>
struct Table<PairWaitRow> : TableOf<PairWaitRow, schema::waits_by_pair> {
  static constexpr std::string_view content = "waiting times of pairs of ranks";
  static constexpr auto fields =
      std::tuple(Field{"kind", &Row::kind}, Field{"comm", &Row::communicator}, Field{"op", &Row::operation},
                 Field{"rank", &Row::rank}, Field{"for_rank", &Row::for_rank}, Field{"wait_s", &Row::wait_s},
                 Field{"wait_error_s", &Row::wait_error_s});
};

template <>
struct Table<CauseRow> : TableOf<CauseRow, schema::causes> {
  static constexpr std::string_view content = "causes of waiting";
  static constexpr auto fields =
      std::tuple(Field{"rank", &Row::rank}, Field{"comm", &Row::communicator}, Field{"op", &Row::operation},
                 Field{"site", &Row::site}, Field{"caused_s", &Row::caused_s},
                 Field{"caused_error_s", &Row::caused_error_s}, Field{"direct_s", &Row::direct_s});
};

template <>
struct Table<SummaryRow> : TableOf<SummaryRow, schema::summary> {
  static constexpr std::string_view content = "sums over ranks", together = "comm";
  static constexpr std::string_view of_details = "size_min";
  static constexpr auto fields =
      std::tuple(Field{"region", &Row::region}, Field{"comm", &Row::communicator}, Field{"site", &Row::site},
                 Field{"op", &Row::operation}, Field{"size_min", &Row::size}, Field{"calls", &Row::calls},
                 Field{"bytes_sent", &Row::bytes_sent}, Field{"bytes_received", &Row::bytes_received},
                 Field{"time_s", &Row::time_s}, Field{"comm_size", &Row::communicator_size},
                 Field{"ranks", &Row::ranks}, Field{"time_min_s", &Row::least_s}, Field{"time_max_s", &Row::most_s},
                 Field{"call_min_s", &Row::shortest_s}, Field{"call_max_s", &Row::longest_s});

  static void check(Row const& row, auto const& rows) {
    if (row.ranks == 0 || row.ranks > rows.ranks)
      rows.fail(fmt::format("{} ranks in a run of {}", row.ranks, rows.ranks));
  }
};

template <>
struct Table<WhenRow> : TableOf<WhenRow, schema::when> {
  static constexpr std::string_view content = "windows of time";
  static constexpr auto fields = std::tuple(
      Field{"rank", &Row::ranks}, Field{"begin_s", &Row::begin_s}, Field{"end_s", &Row::end_s},
      Field{"kind", &Row::kind}, Field{"calls", &Row::calls}, Field{"bytes", &Row::bytes}, Field{"mpi_s", &Row::mpi_s});

  static void check(Row& row, auto const& rows) {
    auto const ranks = RankSet::parse_ascending(row.ranks);
    if (!ranks || ranks->ranges().size() != 1 || ranks->ranges().front().stride != 1)
      rows.fail(fmt::format("rank is no range of ranks: \"{}\"", row.ranks.substr(0, 64)));
    row.first = static_cast<std::uint32_t>(ranks->lowest());
    row.last = static_cast<std::uint32_t>(ranks->highest());
    if (row.last >= rows.ranks) rows.fail(fmt::format("rank {} in a run of {} ranks", row.last, rows.ranks));
    if (row.end_s < row.begin_s) rows.fail("end_s is less than begin_s");
  }
};

template class Rows<RankRow>;
template class Rows<CommunicatorRow>;
template class Rows<OperationRow>;
template class Rows<PeerRow>;
template class Rows<HostPairRow>;
template class Rows<SiteRow>;
template class Rows<ModuleRow>;
template class Rows<RegionRow>;
template class Rows<WaitRow>;
template class Rows<RankWaitRow>;
template class Rows<PairWaitRow>;
template class Rows<CauseRow>;
template class Rows<SummaryRow>;
template class Rows<WhenRow>;

}  // namespace mpisee_through
