#include "summary/regions.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "counters/regions.hpp"
#include "files/visible_text.hpp"
#include "reader/group_by.hpp"

namespace mpisee_through {
namespace {

constexpr char separator = commprof::region_names::separator;

struct TimesInRegion {
  std::uint64_t entered;
  double wall_s, mpi_s;
  std::optional<double> queued_s;  // for a processor, outside MPI

  void operator+=(TimesInRegion const& other) {
    entered += other.entered;
    wall_s += other.wall_s;
    mpi_s += other.mpi_s;
    queued_s = queued_s && other.queued_s ? std::optional(*queued_s + *other.queued_s) : std::nullopt;
  }
};
template <class Region>
using RegionSums = SortedSums<std::pair<Region, WorldRank>, TimesInRegion>;

// The selected ranks in each region alone. Numbers the regions, also those of other ranks.
auto read_regions(Profile const& profile, Selection const& selection, NumberedTexts<std::uint32_t>& names) {
  auto const number_of = [&names](std::string_view region) {
    // Each region keeps the paths of all its ancestors in memory, and a file may have paths of any length.
    constexpr std::ptrdiff_t max_depth = 1000;
    if (std::ranges::count(region, separator) > max_depth)
      throw RowProblem("regions are nested deeper than can be shown");
    return names.number_of(region);
  };
  auto const place = [&selection, number_of, known = Memo<std::uint32_t>()](RegionRow const& row) mutable {
    std::uint32_t const number = known.get(row.region, [&] { return number_of(row.region); });
    return selection.selects(row.rank) ? std::optional(std::pair(number, row.rank)) : std::nullopt;
  };
  auto const times = [](RegionRow const& row) {
    return TimesInRegion{row.entered, row.wall_s, row.mpi_s, row.queued_outside_s};
  };
  return group_by<RegionRow>(profile, every_row, Grouping(place, times, RegionSums<std::uint32_t>())).take();
}

void add_rank(RegionTotals& totals, WorldRank rank, TimesInRegion const& in_region, Overview const& overview) {
  RankTimes times = overview.times_of(rank);
  times.wall_s = in_region.wall_s;
  times.mpi_s = in_region.mpi_s;
  times.waiting_s.reset();  // of the whole run
  times.account.reset();
  if (in_region.queued_s)
    times.account = {.work_s = std::max(times.threads_wall_s() - times.mpi_s - *in_region.queued_s, 0.0),
                     .without_processor_s = *in_region.queued_s};
  for (auto const& [total, part] : {std::pair(&totals.work_s, &Account::work_s),
                                    std::pair(&totals.without_processor_s, &Account::without_processor_s)})
    *total = *total && times.account ? std::optional(**total + *times.account.*part) : std::nullopt;
  ++totals.ranks;
  totals.entered += in_region.entered;
  totals.wall_s += times.wall_s;
  totals.wall_max_s = std::max(totals.wall_max_s, times.wall_s);
  totals.threads_wall_s += times.threads_wall_s();
  totals.mpi_s += times.mpi_s;
  totals.efficiency.add_rank(times);
  if (!overview.run.has_efficiencies()) totals.efficiency.withhold();
}

}  // namespace

std::vector<RegionSummary> list_regions(Profile const& profile, Selection const& selection, Overview const& overview) {
  NumberedTexts<std::uint32_t> names;
  auto const rows = read_regions(profile, selection, names);
  NameFilter filter(selection.regions, matches_region);
  std::vector<bool> selected;
  for (std::string const& name : names.all()) selected.push_back(filter.selects(name));
  filter.check("--region", "region");

  struct Node {
    bool is_selected = false, is_shown = false;
    RegionTotals exclusive{}, inclusive{};
  };
  std::map<std::string, Node> nodes;  // by path
  RegionSums<Node*> exclusive, inclusive;
  std::vector<Node*> with_ancestors;  // of one region
  for (auto row = rows.begin(); row != rows.end(); ++row) {
    auto const [region, rank] = row->key;
    if (row == rows.begin() || std::prev(row)->key.first != region) {
      with_ancestors.clear();
      for (std::string path = visible(names.all()[region]); !path.empty(); path = parent_of_region(path))
        with_ancestors.push_back(&nodes[path]);
      with_ancestors.front()->is_selected |= selected[region];
      for (Node* const one : with_ancestors) one->is_shown |= selected[region];
    }
    exclusive.add({with_ancestors.front(), rank}, row->sum);
    for (Node* const one : with_ancestors) inclusive.add({one, rank}, row->sum);
  }
  for (auto const& [place, times] : exclusive.take()) add_rank(place.first->exclusive, place.second, times, overview);
  for (auto const& [place, times] : inclusive.take()) add_rank(place.first->inclusive, place.second, times, overview);
  std::vector<RegionSummary> regions;
  for (auto& [path, node] : nodes) {
    if (!node.is_selected) node.exclusive = {};
    node.inclusive.entered = node.exclusive.entered;
    auto const depth = static_cast<std::size_t>(std::ranges::count(path, separator));
    if (node.is_shown) regions.push_back({path, depth, node.is_selected, node.exclusive, node.inclusive});
  }
  return regions;
}

}  // namespace mpisee_through
