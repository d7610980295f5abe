#include "report/report_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <tuple>
#include <vector>

#include "report/json_parts.hpp"
#include "summary/communicator_groups.hpp"
#include "text/units.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

// What the selected ranks had of a time in all, as a share of their wall time; null if one does not know it.
Json share_of_ranks(Summary const& summary, std::optional<double> RankTimes::*time) {
  double sum = 0;
  for (RankSummary const& one : summary.ranks) {
    auto const& known = summary.times_of_rank[static_cast<std::size_t>(one.rank)].*time;
    if (!known) return {};
    sum += *known;
  }
  return number_or_null(share_of(sum, summary.wall_s));
}

// The most that a selected rank had resident; null if one does not know it.
Json most_memory(Summary const& summary) {
  std::uint64_t most = 0;
  for (RankSummary const& one : summary.ranks) {
    auto const& known = summary.times_of_rank[static_cast<std::size_t>(one.rank)].max_rss_bytes;
    if (!known) return {};
    most = std::max(most, *known);
  }
  return most > 0 ? Json(most) : Json();
}

Json run_json(Summary const& summary) {
  Run const& run = summary.run;
  Json notes = Json::array();
  for (auto const& facts : {parent_of(run), threads_of(summary), gaps_of(run)}) {
    for (auto const& [label, text] : facts) notes.push_back({label, text});
  }
  return {{"profile", summary.profile},
          {"program", run.program},
          {"command", command_of(run)},
          {"library", run.mpi_library},
          {"mpi_version", run.mpi_version},
          {"ranks", run.ranks},
          {"selected_ranks", summary.selected_ranks},
          {"hosts", summary.hosts},
          {"start", run.start},
          {"wall_s", run.wall_s},
          {"rank_wall_s", summary.wall_s},
          {"rank_mpi_s", summary.mpi_s},
          {"thread_wall_s", summary.threads_wall_s},
          {"cpu_share", share_of_ranks(summary, &RankTimes::cpu_s)},
          {"queued_share", share_of_ranks(summary, &RankTimes::queued_s)},
          {"max_rss_bytes", most_memory(summary)},
          {"operations_s", summary.operations_s},
          {"is_unfinished", run.unfinished.has_value()},
          {"is_longer", run.is_longer()},
          {"notes", notes}};
}

Json communicators_json(ReportData const& data) {
  Json list = Json::array();
  for (std::size_t place = 0; place < data.communicators.nodes().size(); ++place) {
    TreeNode const& node = data.communicators.nodes()[place];
    CommunicatorSummary const& one = data.summary().communicator(node.communicator);
    auto const group = data.communicators.group_of(place);
    list.push_back({{"name", one.name},
                    {"depth", node.depth},
                    {"members", shorten_members(one.members)},
                    {"user_name", one.user_name},
                    {"instances", one.instances},
                    {"group", group ? Json(*group) : Json()}});
  }
  return list;
}

Json groups_json(ReportData const& data) {
  Json list = Json::array();
  for (ShownCommunicators::Group const& group : data.communicators.groups()) {
    CommunicatorSummary const& first = data.summary().communicator(group.first);
    list.push_back({{"name", group.name},
                    {"maker", describe_maker(data.summary(), first)},
                    {"size", first.size},
                    {"communicators", group.communicators},
                    {"further", group.further}});
  }
  return list;
}

// The sizes of calls, ascending. Includes unused sizes between used ones, as a histogram does. More than the library's
// classes, which a histogram cannot show, are joined into these.
class SizeBins {
 public:
  explicit SizeBins(Summary const& summary) {
    add_sizes_of(summary);
    if (places_.size() > most_sizes) {
      are_joined_ = true;
      places_.clear();
      add_sizes_of(summary);
    }
    add_sizes_between();
    std::size_t place = 0;
    for (auto& [size, its_place] : places_) its_place = place++;
  }

  [[nodiscard]] std::size_t place_of(SizeBin const& size) const { return places_.at(bin_of(size)); }

  [[nodiscard]] Json json() const {
    Json list = Json::array();
    for (auto const& [size, place] : places_) {
      list.push_back({{"label", format_size_bin(size)}, {"min", size.min_bytes}, {"max", size.max_bytes}});
    }
    return list;
  }

 private:
  static constexpr std::size_t most_sizes = 256;

  void add_sizes_of(Summary const& summary) {
    for (Cell const& one : summary.cells(by_comm | by_op | by_size)) places_.emplace(bin_of(one.size), 0);
  }

  [[nodiscard]] SizeBin bin_of(SizeBin const& size) const {
    if (!are_joined_) return size;
    std::uint64_t const first = std::bit_floor(size.min_bytes);
    return {first, first == 0 ? 0 : first + (first - 1)};
  }

  // Steps from one power of two to the next, as the library's size classes do.
  void add_sizes_between() {
    for (auto size = places_.begin(); size != places_.end(); ++size) {
      auto const next = std::next(size);
      if (next == places_.end()) break;
      std::uint64_t const first = size->first.max_bytes + 1;
      std::uint64_t const last = 2 * first - 1;
      if (std::has_single_bit(first) && last < next->first.min_bytes) places_.emplace(SizeBin{first, last}, 0);
    }
  }

  std::map<SizeBin, std::size_t> places_;
  bool are_joined_ = false;
};

// A row of calls for each shown communicator, operation and size.
Json calls_json(ReportData const& data, SizeBins const& sizes) {
  using Key = std::tuple<std::size_t, std::size_t, std::size_t>;
  std::map<Key, Totals> rows;
  for (Cell const& one : data.summary().cells(by_comm | by_op | by_size)) {
    std::size_t const communicator = data.communicators.place_of(one.communicator);
    rows[{communicator, static_cast<std::size_t>(one.operation), sizes.place_of(one.size)}] += one.totals;
  }
  return {{"communicator", counts_of(rows, [](auto const& row) { return std::get<0>(row.first); })},
          {"operation", counts_of(rows, [](auto const& row) { return std::get<1>(row.first); })},
          {"size", counts_of(rows, [](auto const& row) { return std::get<2>(row.first); })},
          {"calls", counts_of(rows, [](auto const& row) { return row.second.calls; })},
          {"sent", counts_of(rows, [](auto const& row) { return row.second.bytes_sent; })},
          {"received", counts_of(rows, [](auto const& row) { return row.second.bytes_received; })},
          {"time", seconds_of(rows, [](auto const& row) { return row.second.time_s; })}};
}

Json parts_json(std::vector<BinnedTimes::Part> const& parts) {
  using Part = BinnedTimes::Part;
  return {{"bin", counts_of(parts, [](Part const& part) { return part.bin; })},
          {"of", counts_of(parts, [](Part const& part) { return part.of; })},
          {"time", seconds_of(parts, [](Part const& part) { return part.time_s; })}};
}

Json ranks_json(BinnedTimes const& times) {
  using Bin = BinnedTimes::Bin;
  return {{"ranks_per_bin", times.ranks_per_bin},
          {"host_names", times.hosts},
          {"ranks", counts_of(times.bins, [](Bin const& bin) { return bin.ranks; })},
          {"host", counts_of(times.bins, [](Bin const& bin) { return bin.host; })},
          {"knows_waiting", times.knows_waiting},
          {"knows_moving", times.knows_moving},
          {"several_hosts", counts_of(times.bins, [](Bin const& bin) { return bin.several_hosts; })},
          {"max_rank", counts_of(times.bins, [](Bin const& bin) { return bin.max_rank; })},
          {"wall", seconds_of(times.bins, [](Bin const& bin) { return bin.wall_s; })},
          {"mpi", seconds_of(times.bins, [](Bin const& bin) { return bin.mpi_s; })},
          {"mpi_min", seconds_of(times.bins, [](Bin const& bin) { return bin.mpi_min_s; })},
          {"mpi_max", seconds_of(times.bins, [](Bin const& bin) { return bin.mpi_max_s; })},
          {"outside", seconds_of(times.bins, [](Bin const& bin) { return bin.outside_s; })},
          {"waiting", seconds_of(times.bins, [](Bin const& bin) { return bin.waiting_s; })},
          {"moving", seconds_of(times.bins, [](Bin const& bin) { return bin.moving_s; })},
          {"by_operation", parts_json(times.by_operation)},
          {"by_communicator", parts_json(times.by_communicator)}};
}

Json pairs_json(PairSums const& sums) {
  using Pair = PairSums::Pair;
  Json classes = Json::array();
  for (auto const& [one, name] : traffic_classes.rows) classes.push_back(name);
  return {{"ranks_per_bin", sums.ranks_per_bin},
          {"bins", sums.bins},
          {"classes", classes},
          {"part", sums.part},
          {"communicator", counts_of(sums.pairs, [](Pair const& pair) { return pair.communicator; })},
          {"class", counts_of(sums.pairs, [](Pair const& pair) { return pair.traffic_class; })},
          {"from", counts_of(sums.pairs, [](Pair const& pair) { return pair.from; })},
          {"to", counts_of(sums.pairs, [](Pair const& pair) { return pair.to; })},
          {"messages", counts_of(sums.pairs, [](Pair const& pair) { return pair.amount.messages; })},
          {"bytes", counts_of(sums.pairs, [](Pair const& pair) { return pair.amount.bytes; })}};
}

// For the bars; all numbers are in the table.
Json regions_json(Regions const& regions) {
  Json list = Json::array();
  std::size_t const shown = std::min(regions.regions.size(), most_regions);
  for (std::size_t i = 0; i < shown; ++i) {
    RegionSummary const& region = regions.regions[i];
    list.push_back({{"path", region.path},
                    {"entered", region.inclusive.entered},
                    {"wall_s", region.inclusive.wall_s},
                    {"thread_wall_s", region.inclusive.threads_wall_s},
                    {"mpi_s", region.inclusive.mpi_s}});
  }
  return list;
}

}  // namespace

std::string to_json(ReportData const& data) {
  SizeBins const sizes(data.summary());
  Json const json = {{"commprof", COMMPROF_VERSION},
                     {"run", run_json(data.summary())},
                     {"selection", data.selection},
                     {"story", story_json(data.first)},
                     {"no_pairs", data.no_pairs},
                     {"no_regions", data.no_regions},
                     {"no_links", data.no_links},
                     {"communicators", communicators_json(data)},
                     {"groups", groups_json(data)},
                     {"fewest_to_join", fewest_to_join},
                     {"further_communicators", data.communicators.further_count()},
                     {"operations", data.summary().operation_names},
                     {"sizes", sizes.json()},
                     {"calls", calls_json(data, sizes)},
                     {"sites", sites_json(data)},
                     {"ranks", ranks_json(data.ranks)},
                     {"pairs", data.pairs ? pairs_json(*data.pairs) : Json()},
                     {"regions", data.regions ? regions_json(*data.regions) : Json()},
                     {"when", data.windows},
                     {"links", data.links}};
  std::string text = json.dump();
  text.pop_back();
  return text + ",\n\"tables\": " + tables_json(data) + "}";
}

}  // namespace mpisee_through
