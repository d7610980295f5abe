#include "summary/regions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

#include "counters/region_names.hpp"
#include "files/visible_text.hpp"
#include "summary/name_filter.hpp"

namespace mpisee_through {
namespace {

constexpr char separator = commprof::region_names::separator;

// Each region needs the paths of all its ancestors in memory, and a file may have paths of any length.
constexpr std::ptrdiff_t max_depth = 1000;

struct Node {
  bool selected = false;
  RegionTotals totals;
  double with_inner_s = 0;
  std::vector<std::string> inner;
};

std::string parent_of(std::string const& path) {
  std::size_t const slash = path.rfind(separator);
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

class RegionCounter {
 public:
  RegionCounter(Profile const& profile, Selection const& selection)
      : profile_(profile), selection_(selection), filter_(selection.regions, matches_region) {}

  Regions run() {
    static_cast<Overview&>(regions_) = read_overview(profile_, selection_);
    add_rows();
    filter_.patterns().check("--region", "region");
    add_parents();
    for (auto& [path, node] : nodes_) {
      if (!path.empty()) nodes_.at(parent_of(path)).inner.push_back(path);
    }
    sum_inner();
    place_all();
    return std::move(regions_);
  }

 private:
  void add_rows() {
    double all_s = 0;
    RegionRows rows(profile_);
    while (RegionRow const* row = rows.next()) {
      if (std::ranges::count(row->region, separator) > max_depth)
        rows.fail("more regions inside each other than can be shown");
      bool const region_selected = filter_.selects(row->region);
      all_s += row->wall_s + row->mpi_s;
      if (!std::isfinite(all_s)) rows.fail("the numbers add up to more than can be counted");
      if (!region_selected || !selection_.selects(row->rank)) continue;
      Node& node = nodes_[visible(row->region)];
      node.selected = true;
      RegionTotals& totals = node.totals;
      if (__builtin_add_overflow(totals.entered, row->entered, &totals.entered)) {
        rows.fail("the numbers add up to more than can be counted");
      }
      ++totals.ranks;
      totals.wall_s += row->wall_s;
      totals.wall_max_s = std::max(totals.wall_max_s, row->wall_s);
      totals.mpi_s += row->mpi_s;
      totals.efficiency.add_rank(row->wall_s, row->mpi_s);
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

  // In descending order of paths, a region comes before the one that it is in.
  void sum_inner() {
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
      node->second.with_inner_s += node->second.totals.wall_s;
      if (!node->first.empty()) nodes_.at(parent_of(node->first)).with_inner_s += node->second.with_inner_s;
    }
  }

  void place_all() {
    std::vector<std::pair<std::string, std::size_t>> stack;
    auto const push_inner = [&](std::vector<std::string>& inner, std::size_t depth) {
      // In reverse order: the last one pushed is popped first.
      std::ranges::sort(inner, std::ranges::greater{});
      std::ranges::stable_sort(inner, {}, [this](std::string const& one) { return nodes_.at(one).with_inner_s; });
      for (std::string const& one : inner) stack.emplace_back(one, depth);
    };
    push_inner(nodes_.at("").inner, 0);
    while (!stack.empty()) {
      auto const [path, depth] = stack.back();
      stack.pop_back();
      Node& node = nodes_.at(path);
      regions_.regions.push_back({path, depth, node.selected, node.totals, node.with_inner_s});
      push_inner(node.inner, depth + 1);
    }
  }

  Profile const& profile_;
  Selection const& selection_;
  Regions regions_;
  NameFilter filter_;
  std::map<std::string, Node> nodes_;  // by path; the empty path is the root
};

}  // namespace

Regions add_up_regions(Profile const& profile, Selection const& selection) {
  return RegionCounter(profile, selection).run();
}

}  // namespace mpisee_through
