#include "summary/regions.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_set>

#include "counters/regions.hpp"
#include "files/visible_text.hpp"
#include "summary/group_by.hpp"
#include "summary/row_filter.hpp"

namespace mpisee_through {
namespace {

constexpr char separator = commprof::region_names::separator;

// Limits the depth: each region keeps the paths of all its ancestors in memory, and a file may have paths of any
// length.
constexpr std::ptrdiff_t max_depth = 1000;

// A row, without the region's name.
struct RankInRegion {
  WorldRank rank;
  std::uint64_t entered;
  double wall_s, mpi_s;
};

// The rows of a region, in the order of the file.
struct RanksInRegion {
  std::vector<RankInRegion> rows;

  RanksInRegion& operator+=(RankInRegion const& row) {
    rows.push_back(row);
    return *this;
  }
  RanksInRegion& operator+=(RanksInRegion&& later) {
    if (rows.empty()) rows.swap(later.rows);
    else rows.insert(rows.end(), later.rows.begin(), later.rows.end());
    return *this;
  }
};

// Selects rows by rank. Notes which patterns match a region of any rank.
struct RegionRowFilter {
  [[nodiscard]] bool selects(RegionRow const& row) {
    if (std::ranges::count(row.region, separator) > max_depth)
      throw RowProblem("regions are nested deeper than can be shown");
    std::ignore = regions.selects(row.region);
    return selection->selects(row.rank);
  }
  void add(RegionRowFilter const& other) { regions.add(other.regions); }

  Selection const* selection;
  NameFilter regions;
};

struct TimesOfRank {
  WorldRank rank;
  RankTimes times;
};

struct Node {
  bool selected = false;
  RegionTotals exclusive;
  RegionTotals inclusive;
  std::vector<TimesOfRank> by_rank;  // emptied when the totals are known
  std::vector<std::string> inner;
};

// Adds up the times of each rank in several regions.
void merge_ranks(std::vector<TimesOfRank>& times) {
  std::ranges::sort(times, {}, &TimesOfRank::rank);
  std::size_t last = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i].rank == times[last].rank) {
      times[last].times.wall_s += times[i].times.wall_s;
      times[last].times.mpi_s += times[i].times.mpi_s;
    } else {
      times[++last] = times[i];
    }
  }
  if (!times.empty()) times.resize(last + 1);
}

std::string parent_of(std::string const& path) {
  std::size_t const slash = path.rfind(separator);
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

class RegionCounter {
 public:
  RegionCounter(Profile const& profile, Selection const& selection, Overview const& overview)
      : profile_(profile), overview_(overview), filter_{&selection, {selection.regions, matches_region}} {}

  std::vector<RegionSummary> run() {
    add_rows();
    filter_.regions.check("--region", "region");
    add_parents();
    for (auto& [path, node] : nodes_) {
      if (!path.empty()) nodes_.at(parent_of(path)).inner.push_back(path);
    }
    sum_inner();
    find_shown();
    place_all();
    return std::move(regions_);
  }

 private:
  void add_rows() {
    auto const of_rank = [](RegionRow const& row) {
      return RankInRegion{row.rank, row.entered, row.wall_s, row.mpi_s};
    };
    auto regions =
        group_by<RegionRow>(profile_, filter_, Grouping(&RegionRow::region, of_rank, TextSums<RanksInRegion>()));
    for (auto& [name, in_region] : regions.all()) {
      Node& node = nodes_[visible(name)];
      bool const is_selected = filter_.regions.selects(name);
      node.selected |= is_selected;
      for (RankInRegion const& row : in_region.rows) {
        RankTimes times = overview_.times_of_rank[static_cast<std::size_t>(row.rank)];
        times.wall_s = row.wall_s;
        times.mpi_s = row.mpi_s;
        node.by_rank.push_back({row.rank, times});
        if (!is_selected) continue;
        node.exclusive.entered += row.entered;
        node.exclusive.add_rank(times);
      }
      in_region.rows = {};
    }
  }

  void add_parents() {
    std::vector<std::string> paths;
    for (auto const& [path, node] : nodes_) paths.push_back(path);
    for (std::string path : paths) {
      while (!path.empty()) {
        path = parent_of(path);
        if (!nodes_.try_emplace(path).second) break;
      }
    }
    nodes_.try_emplace("");
  }

  // Sums inner regions. In descending order of paths, a region comes before the region that contains it.
  void sum_inner() {
    for (auto place = nodes_.rbegin(); place != nodes_.rend(); ++place) {
      auto& [path, node] = *place;
      merge_ranks(node.by_rank);
      for (TimesOfRank const& one : node.by_rank) node.inclusive.add_rank(one.times);
      node.inclusive.entered = node.exclusive.entered;
      if (!path.empty()) {
        std::vector<TimesOfRank>& outer = nodes_.at(parent_of(path)).by_rank;
        outer.insert(outer.end(), node.by_rank.begin(), node.by_rank.end());
      }
      node.by_rank = {};
    }
  }

  // Marks the selected regions and the regions that contain them.
  void find_shown() {
    for (auto const& [path, node] : nodes_) {
      if (!node.selected) continue;
      for (std::string one = path; shown_.insert(one).second && !one.empty();) one = parent_of(one);
    }
  }

  void place_all() {
    std::vector<std::pair<std::string, std::size_t>> stack;
    auto const push_inner = [&](std::vector<std::string>& inner, std::size_t depth) {
      // Reverses the order: the region pushed last is popped first.
      std::ranges::sort(inner, std::ranges::greater{});
      std::ranges::stable_sort(inner, {}, [this](std::string const& one) { return nodes_.at(one).inclusive.wall_s; });
      for (std::string const& one : inner) {
        if (shown_.contains(one)) stack.emplace_back(one, depth);
      }
    };
    push_inner(nodes_.at("").inner, 0);
    while (!stack.empty()) {
      auto const [path, depth] = stack.back();
      stack.pop_back();
      Node& node = nodes_.at(path);
      regions_.push_back({path, depth, node.selected, node.exclusive, node.inclusive});
      push_inner(node.inner, depth + 1);
    }
  }

  Profile const& profile_;
  Overview const& overview_;
  std::vector<RegionSummary> regions_;
  RegionRowFilter filter_;
  std::map<std::string, Node> nodes_;  // the empty path is the root
  std::unordered_set<std::string> shown_;
};

}  // namespace

void RegionTotals::add_rank(RankTimes const& times) {
  ++ranks;
  wall_s += times.wall_s;
  wall_max_s = std::max(wall_max_s, times.wall_s);
  threads_wall_s += times.threads_wall_s();
  mpi_s += times.mpi_s;
  efficiency.add_rank(times.wall_s, times.mpi_of_thread_s());
}

std::vector<RegionSummary> list_regions(Profile const& profile, Selection const& selection, Overview const& overview) {
  std::vector<RegionSummary> regions = RegionCounter(profile, selection, overview).run();
  if (overview.run.has_efficiencies()) return regions;
  for (RegionSummary& region : regions)
    for (RegionTotals* const totals : {&region.exclusive, &region.inclusive}) totals->efficiency.withhold();
  return regions;
}

Regions add_up_regions(Profile const& profile, Selection const& selection) {
  Regions regions;
  static_cast<Overview&>(regions) = read_overview(profile, selection);
  regions.regions = list_regions(profile, selection, regions);
  return regions;
}

namespace {

Weight weight(RegionTotals const& totals, SortKey key) {
  auto const balance = totals.efficiency.load_balance();
  return weight_of({.time_s = totals.wall_s,
                    .calls = static_cast<double>(totals.entered),
                    .imbalance = balance ? std::optional(1 - *balance) : std::nullopt},
                   key);
}

}  // namespace

Regions arrange_regions(Regions const& all, Arrangement const& arrangement, RegionTimes times) {
  std::vector<RegionSummary> const& regions = all.regions;
  std::vector<std::size_t> order(regions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t left, std::size_t right) {
    if (arrangement.key == SortKey::name) return name_less(regions[left].path, regions[right].path);
    return weight(regions[left].totals(times), arrangement.key) > weight(regions[right].totals(times), arrangement.key);
  });

  Regions arranged;
  static_cast<Overview&>(arranged) = all;
  std::size_t const none = regions.size();
  std::vector<std::size_t> parents(regions.size(), none), above;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    above.resize(regions[i].depth);
    if (!above.empty()) parents[i] = above.back();
    above.push_back(i);
  }
  std::vector<bool> is_top(regions.size()), is_kept(regions.size());
  std::size_t room = arrangement.top.value_or(regions.size());
  for (std::size_t const place : order) {
    if (!regions[place].selected) continue;
    is_top[place] = room > 0;
    if (room == 0) ++arranged.left_out;
    for (std::size_t one = room > 0 ? place : none; one != none; one = parents[one]) is_kept[one] = true;
    if (room > 0) --room;
  }

  std::vector<std::vector<std::size_t>> inner(regions.size() + 1);  // the last one for regions at the top
  for (auto place = order.rbegin(); place != order.rend(); ++place) {
    if (is_kept[*place]) inner[parents[*place]].push_back(*place);
  }
  std::vector<std::size_t> stack = inner[none];
  while (!stack.empty()) {
    std::size_t const place = stack.back();
    stack.pop_back();
    arranged.regions.push_back(regions[place]);
    arranged.regions.back().selected = is_top[place];
    stack.insert(stack.end(), inner[place].begin(), inner[place].end());
  }
  return arranged;
}

}  // namespace mpisee_through
