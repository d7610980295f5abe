// Declares the tables of a profile: the fields of each row, and checks beyond the kinds of columns.
//
// Members of Table<Row>: `fields` lists the columns to read. Optional members: `content` says what a profile without
// the file lacks; rows with equal text in column `together` stay in one part; `check` checks a row after its fields
// are read. A row with text in column `of_details` is in more detail; Details::brief then leaves out the fields from
// column `first_of_whole` on.
#include "comm_naming/comm_name.hpp"
#include "reader/rows_of_file.hpp"

namespace mpisee_through {
namespace schema = commprof::schema;

bool is_number_of_members(std::string_view members) { return members.find(commprof::folded_ranks) != members.npos; }

template <>
struct Table<RankRow> {
  static constexpr schema::File const& file = schema::ranks;
  static constexpr std::tuple fields{Field{"rank", &RankRow::rank},
                                     Field{"host", &RankRow::host},
                                     Field{"cpus", &RankRow::cpus},
                                     Field{"package", &RankRow::package},
                                     Field{"numa", &RankRow::numa},
                                     Field{"core", &RankRow::core},
                                     Field{"threads", &RankRow::threads},
                                     Field{"wall_s", &RankRow::wall_s},
                                     Field{"mpi_s", &RankRow::mpi_s},
                                     Field{"cpu_s", &RankRow::cpu_s},
                                     Field{"queued_s", &RankRow::queued_s},
                                     Field{"queued_outside_s", &RankRow::queued_outside_s},
                                     Field{"involuntary_switches", &RankRow::involuntary_switches},
                                     Field{"waiting_s", &RankRow::waiting_s},
                                     Field{"waiting_error_s", &RankRow::waiting_error_s},
                                     Field{"caused_s", &RankRow::caused_s},
                                     Field{"finalize_s", &RankRow::finalize_s},
                                     Field{"work_s", &RankRow::work_s},
                                     Field{"moving_s", &RankRow::moving_s},
                                     Field{"other_s", &RankRow::other_s},
                                     Field{"unknown_s", &RankRow::unknown_s},
                                     Field{"threads_at_once", &RankRow::threads_at_once},
                                     Field{"max_rss_bytes", &RankRow::max_rss_bytes}};

  static RankSet const& missing(Profile const& profile) {
    static RankSet const none;
    return profile.run().unfinished ? profile.run().unfinished->missing : none;
  }
  // Each rank has a row, whatever run.json counts.
  static std::uint64_t expected_rows(Profile const& profile) { return profile.run().ranks - missing(profile).size(); }

  static void check(RankRow const& row, auto& rows) {
    auto const rank = static_cast<std::uint32_t>(row.rank);
    if (rows.is_row_before) rows.next_rank = rank;
    while (missing(rows.profile).contains(WorldRank{rows.next_rank})) ++rows.next_rank;
    if (rank != rows.next_rank++) rows.fail(fmt::format("rank {} where rank {} should be", rank, rows.next_rank - 1));
  }
};

template <>
struct Table<CommunicatorRow> {
  static constexpr schema::File const& file = schema::communicators;
  static constexpr std::tuple fields{Field{"comm", &CommunicatorRow::name},
                                     Field{"parent", &CommunicatorRow::parent},
                                     Field{"created_by", &CommunicatorRow::created_by},
                                     Field{"size", &CommunicatorRow::size},
                                     Field{"members", &CommunicatorRow::members},
                                     Field{"topology", &CommunicatorRow::topology},
                                     Field{"reorder", &CommunicatorRow::reorder},
                                     Field{"user_name", &CommunicatorRow::user_name},
                                     Field{"freed", &CommunicatorRow::freed},
                                     Field{"created_at", &CommunicatorRow::created_at}};

  static void check(CommunicatorRow& row, auto const& rows) {
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
struct Table<OperationRow> {
  static constexpr schema::File const& file = schema::operations;
  static constexpr std::string_view together = "rank";
  static constexpr std::tuple fields{Field{"region", &OperationRow::region},
                                     Field{"comm", &OperationRow::communicator},
                                     Field{"comm_size", &OperationRow::communicator_size},
                                     Field{"rank", &OperationRow::rank},
                                     Field{"op", &OperationRow::operation},
                                     Field{"size_min", &OperationRow::size},
                                     Field{"calls", &OperationRow::calls},
                                     Field{"bytes_sent", &OperationRow::bytes_sent},
                                     Field{"bytes_received", &OperationRow::bytes_received},
                                     Field{"time_s", &OperationRow::time_s},
                                     Field{"time_min_s", &OperationRow::shortest_s},
                                     Field{"time_max_s", &OperationRow::longest_s},
                                     Field{"site", &OperationRow::site}};

  static void check(OperationRow const& row, auto& rows) {
    auto const rank = static_cast<std::uint32_t>(row.rank);
    if (rank < rows.next_rank)
      rows.fail(fmt::format("rank {} after rank {}: rows must be in the order of ranks", rank, rows.next_rank));
    rows.next_rank = rank;
  }
};

template <>
struct Table<PeerRow> {
  static constexpr schema::File const& file = schema::peers;
  static constexpr std::string_view content = "who talks to whom";
  static constexpr std::tuple fields{Field{"region", &PeerRow::region},
                                     Field{"comm", &PeerRow::communicator},
                                     Field{"class", &PeerRow::traffic_class},
                                     Field{"src", &PeerRow::from},
                                     Field{"dst", &PeerRow::to},
                                     Field{"size_min", &PeerRow::size},
                                     Field{"messages", &PeerRow::messages},
                                     Field{"bytes", &PeerRow::bytes},
                                     Field{"op", &PeerRow::operation},
                                     Field{"call_size_min", &PeerRow::call_size_min},
                                     Field{"call_size_max", &PeerRow::call_size_max}};

  static void check(PeerRow const& row, auto const& rows) {
    if (row.call_size_min.has_value() != row.call_size_max.has_value() || row.call_size_min > row.call_size_max)
      rows.fail("call_size_min and call_size_max are no bounds of a size");
    if (row.from == other_world && row.to == other_world) rows.fail("neither src nor dst is a rank of this run");
  }
};

template <>
struct Table<HostPairRow> {
  static constexpr schema::File const& file = schema::host_pairs;
  static constexpr std::string_view content = "messages by host";
  static constexpr std::tuple fields{Field{"class", &HostPairRow::traffic_class}, Field{"src_host", &HostPairRow::from},
                                     Field{"dst_host", &HostPairRow::to}, Field{"messages", &HostPairRow::messages},
                                     Field{"bytes", &HostPairRow::bytes}};
};

template <>
struct Table<SiteRow> {
  static constexpr schema::File const& file = schema::sites;
  static constexpr std::string_view content = "call sites";
  static constexpr std::tuple fields{Field{"site", &SiteRow::site},     Field{"module", &SiteRow::module},
                                     Field{"offset", &SiteRow::offset}, Field{"function", &SiteRow::function},
                                     Field{"file", &SiteRow::file},     Field{"line", &SiteRow::line}};
};

template <>
struct Table<ModuleRow> {
  static constexpr schema::File const& file = schema::modules;
  static constexpr std::string_view content = "modules";
  static constexpr std::tuple fields{Field{"module", &ModuleRow::module}, Field{"path", &ModuleRow::path},
                                     Field{"build_id", &ModuleRow::build_id}};
};

template <>
struct Table<RegionRow> {
  static constexpr schema::File const& file = schema::regions;
  static constexpr std::string_view content = "times of regions";
  static constexpr std::tuple fields{Field{"region", &RegionRow::region}, Field{"rank", &RegionRow::rank},
                                     Field{"entered", &RegionRow::entered}, Field{"wall_s", &RegionRow::wall_s},
                                     Field{"mpi_s", &RegionRow::mpi_s}};
};

template <>
struct Table<WaitRow> {
  static constexpr schema::File const& file = schema::waits;
  static constexpr std::string_view content = "waiting times";
  static constexpr std::tuple fields{Field{"kind", &WaitRow::kind},
                                     Field{"comm", &WaitRow::communicator},
                                     Field{"op", &WaitRow::operation},
                                     Field{"site", &WaitRow::site},
                                     Field{"ranks", &WaitRow::ranks},
                                     Field{"calls", &WaitRow::calls},
                                     Field{"instants", &WaitRow::instants},
                                     Field{"time_s", &WaitRow::time_s},
                                     Field{"wait_s", &WaitRow::wait_s},
                                     Field{"wait_error_s", &WaitRow::wait_error_s},
                                     Field{"unknown_share", &WaitRow::unknown_share},
                                     Field{"last_rank", &WaitRow::last_rank},
                                     Field{"last_share", &WaitRow::last_share},
                                     Field{"caused_by", &WaitRow::caused_by},
                                     Field{"caused_share", &WaitRow::caused_share},
                                     Field{"pattern_share", &WaitRow::pattern_share}};

  static void check(WaitRow const& row, auto const& rows) {
    if (row.last_share.value_or(0) > 1) rows.fail("last_share is greater than 1");
    if (row.unknown_share.value_or(0) > 1) rows.fail("unknown_share is greater than 1");
    // Shares have nine decimals.
    if (row.caused_share.value_or(0) + row.pattern_share.value_or(0) > 1 + 2e-9)
      rows.fail("caused_share and pattern_share add up to more than 1");
  }
};

template <>
struct Table<RankWaitRow> {
  static constexpr schema::File const& file = schema::waits_by_rank;
  static constexpr std::string_view content = "waiting times of ranks";
  static constexpr std::tuple fields{Field{"kind", &RankWaitRow::kind},
                                     Field{"comm", &RankWaitRow::communicator},
                                     Field{"op", &RankWaitRow::operation},
                                     Field{"site", &RankWaitRow::site},
                                     Field{"rank", &RankWaitRow::rank},
                                     Field{"instants", &RankWaitRow::instants},
                                     Field{"time_s", &RankWaitRow::time_s},
                                     Field{"wait_s", &RankWaitRow::wait_s},
                                     Field{"unknown_share", &RankWaitRow::unknown_share}};

  static void check(RankWaitRow const& row, auto const& rows) {
    if (row.unknown_share.value_or(0) > 1) rows.fail("unknown_share is greater than 1");
  }
};

template <>
struct Table<PairWaitRow> {
  static constexpr schema::File const& file = schema::waits_by_pair;
  static constexpr std::string_view content = "waiting times of pairs of ranks";
  static constexpr std::tuple fields{Field{"kind", &PairWaitRow::kind},
                                     Field{"comm", &PairWaitRow::communicator},
                                     Field{"op", &PairWaitRow::operation},
                                     Field{"rank", &PairWaitRow::rank},
                                     Field{"for_rank", &PairWaitRow::for_rank},
                                     Field{"wait_s", &PairWaitRow::wait_s},
                                     Field{"wait_error_s", &PairWaitRow::wait_error_s}};
};

template <>
struct Table<CauseRow> {
  static constexpr schema::File const& file = schema::causes;
  static constexpr std::string_view content = "causes of waiting";
  static constexpr std::tuple fields{
      Field{"rank", &CauseRow::rank},         Field{"comm", &CauseRow::communicator},
      Field{"op", &CauseRow::operation},      Field{"site", &CauseRow::site},
      Field{"caused_s", &CauseRow::caused_s}, Field{"caused_error_s", &CauseRow::caused_error_s},
      Field{"direct_s", &CauseRow::direct_s}};
};

template <>
struct Table<SummaryRow> {
  static constexpr schema::File const& file = schema::summary;
  static constexpr std::string_view content = "sums over ranks", together = "comm";
  static constexpr std::string_view of_details = "size_min", first_of_whole = "comm_size";
  static constexpr std::tuple fields{Field{"region", &SummaryRow::region},
                                     Field{"comm", &SummaryRow::communicator},
                                     Field{"site", &SummaryRow::site},
                                     Field{"op", &SummaryRow::operation},
                                     Field{"size_min", &SummaryRow::size},
                                     Field{"calls", &SummaryRow::calls},
                                     Field{"bytes_sent", &SummaryRow::bytes_sent},
                                     Field{"bytes_received", &SummaryRow::bytes_received},
                                     Field{"time_s", &SummaryRow::time_s},
                                     Field{"comm_size", &SummaryRow::communicator_size},
                                     Field{"ranks", &SummaryRow::ranks},
                                     Field{"time_min_s", &SummaryRow::least_s},
                                     Field{"time_min_rank", &SummaryRow::least_rank},
                                     Field{"time_max_s", &SummaryRow::most_s},
                                     Field{"time_max_rank", &SummaryRow::most_rank},
                                     Field{"call_min_s", &SummaryRow::shortest_s},
                                     Field{"call_max_s", &SummaryRow::longest_s}};

  static void check(SummaryRow const& row, auto const& rows) {
    if (row.ranks == 0 || row.ranks > rows.ranks)
      rows.fail(fmt::format("{} ranks in a run of {}", row.ranks, rows.ranks));
  }
};

template <>
struct Table<SizeRow> {
  static constexpr schema::File const& file = schema::sizes;
  static constexpr std::string_view content = "sizes of calls";
  static constexpr std::tuple fields{Field{"op", &SizeRow::operation},
                                     Field{"size_min", &SizeRow::size},
                                     Field{"calls", &SizeRow::calls},
                                     Field{"bytes_sent", &SizeRow::bytes_sent},
                                     Field{"bytes_received", &SizeRow::bytes_received},
                                     Field{"time_s", &SizeRow::time_s}};
};

template <>
struct Table<WhenRow> {
  static constexpr schema::File const& file = schema::when;
  static constexpr std::string_view content = "windows of time";
  static constexpr std::tuple fields{Field{"rank", &WhenRow::ranks},  Field{"begin_s", &WhenRow::begin_s},
                                     Field{"end_s", &WhenRow::end_s}, Field{"kind", &WhenRow::kind},
                                     Field{"calls", &WhenRow::calls}, Field{"bytes", &WhenRow::bytes},
                                     Field{"mpi_s", &WhenRow::mpi_s}};

  static void check(WhenRow& row, auto const& rows) {
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
template class Rows<SizeRow>;
template class Rows<WhenRow>;

}  // namespace mpisee_through
