#include "summary/regions.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "counters/regions.hpp"
#include "files/visible_text.hpp"
#include "summary/group_by.hpp"

namespace mpisee_through {
namespace {

constexpr char separator = commprof::region_names::separator;

struct RankInRegion {
  WorldRank rank;
  std::uint64_t entered;
  double wall_s, mpi_s;
};

// The selected ranks in a region, in the order of the file.
struct RanksInRegion {
  std::vector<RankInRegion> ranks;

  void operator+=(std::optional<RankInRegion> const& one) {
    if (one) ranks.push_back(*one);
  }
  void operator+=(RanksInRegion&& later) {
    if (ranks.empty()) ranks.swap(later.ranks);
    else ranks.insert(ranks.end(), later.ranks.begin(), later.ranks.end());
  }
  // Adds up the times of each rank.
  void join() {
    std::ranges::stable_sort(ranks, {}, &RankInRegion::rank);
    std::size_t last = 0;
    for (std::size_t i = 1; i < ranks.size(); ++i) {
      if (ranks[i].rank != ranks[last].rank) {
        ranks[++last] = ranks[i];
        continue;
      }
      ranks[last].entered += ranks[i].entered;
      ranks[last].wall_s += ranks[i].wall_s;
      ranks[last].mpi_s += ranks[i].mpi_s;
    }
    if (!ranks.empty()) ranks.resize(last + 1);
  }
};

struct Node : RanksInRegion {
  bool is_selected = false, is_shown = false;
  RegionTotals exclusive{}, inclusive{};
};

std::string parent_of(std::string const& path) {
  std::size_t const slash = path.rfind(separator);
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string_view name_in(RegionRow const& row) {
  // Each region keeps the paths of all its ancestors in memory, and a file may have paths of any length.
  constexpr std::ptrdiff_t max_depth = 1000;
  if (std::ranges::count(row.region, separator) > max_depth)
    throw RowProblem("regions are nested deeper than can be shown");
  return row.region;
}

// The regions by path, with the ranks in each alone.
std::map<std::string, Node> read_nodes(Profile const& profile, Selection const& selection) {
  auto const of_rank = [&selection](RegionRow const& row) {
    return selection.selects(row.rank) ? std::optional(RankInRegion{row.rank, row.entered, row.wall_s, row.mpi_s})
                                       : std::nullopt;
  };
  auto regions = group_by<RegionRow>(profile, every_row, Grouping(name_in, of_rank, TextSums<RanksInRegion>()));
  NameFilter filter(selection.regions, matches_region);  // sees regions of all ranks
  std::map<std::string, Node> nodes;
  for (auto& [name, in_region] : regions.all()) {
    bool const is_selected = filter.selects(name);
    if (in_region.ranks.empty()) continue;
    for (std::string path = visible(name); !path.empty(); path = parent_of(path)) nodes.try_emplace(path);
    Node& node = nodes[visible(name)];
    node.is_selected |= is_selected;
    node += std::move(in_region);
  }
  filter.check("--region", "region");
  return nodes;
}

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
  std::map<std::string, Node> nodes = read_nodes(profile, selection);
  auto const add = [&](RegionTotals& totals, RanksInRegion& region) {
    region.join();
    for (RankInRegion const& one : region.ranks) {
      RankTimes times = overview.times_of_rank[static_cast<std::size_t>(one.rank)];
      times.wall_s = one.wall_s;
      times.mpi_s = one.mpi_s;
      totals.add_rank(times);
      totals.entered += one.entered;
    }
    if (!overview.run.has_efficiencies()) totals.efficiency.withhold();
  };
  for (auto& [path, node] : nodes) {
    node.is_shown = node.is_selected;
    if (node.is_selected) add(node.exclusive, node);
  }
  // In descending order of paths, a region comes before the one that contains it.
  for (auto place = nodes.rbegin(); place != nodes.rend(); ++place) {
    Node& node = place->second;
    add(node.inclusive, node);
    node.inclusive.entered = node.exclusive.entered;
    if (auto const parent = nodes.find(parent_of(place->first)); parent != nodes.end()) {
      parent->second.is_shown |= node.is_shown;
      parent->second += std::move(node);
    }
    node.ranks = {};
  }
  std::vector<RegionSummary> regions;
  for (auto const& [path, node] : nodes) {
    auto const depth = static_cast<std::size_t>(std::ranges::count(path, separator));
    if (node.is_shown) regions.push_back({path, depth, node.is_selected, node.exclusive, node.inclusive});
  }
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

ArrangedRegions arrange_regions(std::vector<RegionSummary> const& regions, Arrangement const& arrangement,
                                RegionTimes times) {
  std::vector<std::size_t> order(regions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t left, std::size_t right) {
    if (arrangement.key == SortKey::name) return name_less(regions[left].path, regions[right].path);
    return weight(regions[left].totals(times), arrangement.key) > weight(regions[right].totals(times), arrangement.key);
  });

  std::size_t const none = regions.size();
  std::vector<std::size_t> parents;
  for (RegionSummary const& one : regions) {
    auto const found = std::ranges::lower_bound(regions, parent_of(one.path), {}, &RegionSummary::path);
    bool const has_parent = found != regions.end() && found->path == parent_of(one.path);
    parents.push_back(has_parent ? static_cast<std::size_t>(found - regions.begin()) : none);
  }
  ArrangedRegions arranged;
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
  for (auto place = order.rbegin(); place != order.rend(); ++place)
    if (is_kept[*place]) inner[parents[*place]].push_back(*place);
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
