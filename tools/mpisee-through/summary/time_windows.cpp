#include "summary/time_windows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "files/text_lines.hpp"
#include "reader/group_by.hpp"

namespace mpisee_through {
namespace {

constexpr double rounding_s = 2e-9;  // files have nanoseconds
constexpr char const* overlap = "groups of ranks overlap";

// What the windows of all rows tell of the run.
struct Extent {
  double end_s = 0;
  double anchor_s = 0;  // the begin of the first window with a row, but for the first one

  void operator+=(Extent const& other) {
    end_s = std::max(end_s, other.end_s);
    bool const have_both = anchor_s > 0 && other.anchor_s > 0;
    anchor_s = have_both ? std::min(anchor_s, other.anchor_s) : std::max(anchor_s, other.anchor_s);
  }
};

// Where calls are summed: the first and the last rank, and the window.
using Place = std::tuple<std::uint32_t, std::uint32_t, std::size_t>;

// The windows begin at multiples of their width from some moment on, the anchor. The first and the last one may be
// shorter. Empty if there are too many.
std::vector<WindowSpan> windows_until(double end_s, double anchor_s, double width_s) {
  constexpr double most_windows = 1 << 16;
  double const before_s = std::floor((anchor_s + rounding_s) / width_s) * width_s;
  double const first_s = anchor_s - before_s < rounding_s ? 0 : anchor_s - before_s;
  std::vector<WindowSpan> all;
  if (first_s > 0) all.push_back({0, std::min(first_s, end_s)});
  if ((end_s - first_s) / width_s > most_windows) return {};
  for (double number = 0; first_s + number * width_s < end_s - rounding_s; ++number)
    all.push_back({first_s + number * width_s, std::min(first_s + (number + 1) * width_s, end_s)});
  return all;
}

bool selects(Selection const& selection, CallKind kind) {
  return selection.kinds.empty() || std::ranges::any_of(commprof::calls::families, [&](auto const& family) {
           return family.window_kind == kind && std::ranges::count(selection.kinds, family.kind) > 0;
         });
}

RankSet group_of(std::uint32_t first, std::uint32_t last) {
  RankSet group;
  group.append(RankSet::Range{first, last, 1});
  return group;
}

bool selects(Selection const& selection, std::uint32_t first, std::uint32_t last) {
  return !selection.ranks || group_of(first, last).count_in(*selection.ranks) > 0;
}

class WindowsReader {
 public:
  WindowsReader(Profile const& profile, Selection const& selection, Overview const& overview)
      : profile_(profile), selection_(selection) {
    static_cast<Overview&>(result_) = overview;
  }

  TimeWindows run(RunPart const& part) {
    if (std::ranges::count(selection_.kinds, OperationKind::communicator) > 0)
      throw SelectionError("--kind communicator: windows of time count calls that make communicators as other");
    double const width_s = profile_.run().windows->width_s;
    auto const is_first = [](WhenRow const& row) { return row.begin_s <= rounding_s; };
    auto const extent = [&](WhenRow const& row) { return Extent{row.end_s, is_first(row) ? 0 : row.begin_s}; };
    auto const place = [&, last_of_group = last_of_group_](WhenRow const& row) mutable -> std::optional<Place> {
      if (last_of_group.try_emplace(row.first, row.last).first->second != row.last) throw RowProblem(overlap);
      if (!selects(selection_, row.first, row.last)) return std::nullopt;
      double const window = is_first(row) ? 0 : std::ceil((row.begin_s - rounding_s) / width_s);
      return Place{row.first, row.last, static_cast<std::size_t>(std::min(window, 1e9))};
    };
    auto const sum = [&](WhenRow const& row) {
      WindowSum one;
      auto const kind = static_cast<std::size_t>(row.kind);
      one.of_kind_s[kind] = row.mpi_s;
      if (!selects(selection_, row.kind)) return one;
      one.calls = one.calls_of_kind[kind] = row.calls;
      one.bytes = row.bytes;
      return one;
    };
    auto [extents, calls] = group_by<WhenRow>(
        profile_, every_row, Grouping([](WhenRow const&) { return false; }, extent, IndexedSums<1, Extent>()),
        Grouping(place, sum, SortedSums<Place, WindowSum>()));
    Extent all = extents[false];
    all += {result_.run.wall_s};
    result_.windows = windows_until(all.end_s, all.anchor_s, width_s);
    if (result_.windows.empty()) fail("more windows of time than can be shown");
    auto const sums = calls.take();
    for (auto const& [at, of_calls] : sums)
      if (last_of_group_.try_emplace(std::get<0>(at), std::get<1>(at)).first->second != std::get<1>(at)) fail(overlap);
    add_groups();
    for (auto const& [at, of_calls] : sums) add(std::get<0>(at), std::get<2>(at), of_calls);
    restrict(part);
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(std::string_view problem) const { Rows<WhenRow>::fail(profile_, problem); }

  // Ranks without rows, which called nothing, get groups as large as the others.
  void add_groups() {
    std::uint32_t size = 1;
    for (auto const& [first, last] : last_of_group_) size = std::max(size, last - first + 1);
    for (std::uint32_t first = 0; first < result_.run.ranks;) {
      auto const known = last_of_group_.lower_bound(first);
      std::uint32_t last = std::min(first + size, result_.run.ranks) - 1;
      if (known != last_of_group_.end()) {
        if (known->first == first) last = known->second;
        else last = std::min(last, known->first - 1);
      }
      if (selects(selection_, first, last)) add_group(first, last);
      first = last + 1;
    }
  }

  void add_group(std::uint32_t first, std::uint32_t last) {
    WindowGroup group{group_of(first, last), std::vector<WindowSum>(result_.windows.size())};
    for (std::size_t i = 0; i < result_.windows.size(); ++i) {
      auto const [begin_s, end_s] = result_.windows[i];
      for (std::uint32_t rank = first; rank <= last; ++rank) {
        RankTimes const& times = result_.times_of_rank[rank];
        double const here_s = std::max(std::min(end_s, times.wall_s) - begin_s, 0.0);
        group.windows[i].ranks_s += here_s;
        group.windows[i].threads_s += here_s * times.threads;
      }
    }
    result_.groups.push_back(std::move(group));
  }

  void add(std::uint32_t first, std::size_t window, WindowSum const& calls) {
    auto const first_of = [](WindowGroup const& one) { return static_cast<std::uint32_t>(one.ranks.lowest()); };
    auto const group = std::ranges::lower_bound(result_.groups, first, {}, first_of);
    if (group == result_.groups.end() || first_of(*group) != first || window >= result_.windows.size())
      fail("a row is in no group of ranks or in no window");
    WindowSum& sum = group->windows[window] += calls;
    for (std::size_t kind = 0; kind < window_kinds.size(); ++kind)
      if (selects(selection_, static_cast<CallKind>(kind))) sum.mpi_s += calls.of_kind_s[kind];
  }

  // Keeps the windows that lie in the part by more than half.
  void restrict(RunPart const& part) {
    double const end_s = result_.windows.back().end_s;
    double const from_s = part.from ? part.from->seconds(end_s) : 0;
    double const to_s = part.to ? part.to->seconds(end_s) : end_s;
    auto const middle_s = [](WindowSpan const& one) { return (one.begin_s + one.end_s) / 2; };
    auto const first = std::ranges::lower_bound(result_.windows, from_s, {}, middle_s) - result_.windows.begin(),
               end = std::ranges::upper_bound(result_.windows, to_s, {}, middle_s) - result_.windows.begin();
    if (first >= end)
      throw SelectionError(fmt::format("--during: no window of time is between {} s and {} s", from_s, to_s));
    auto const keep = [&](auto& list) {
      list.erase(list.begin() + end, list.end());
      list.erase(list.begin(), list.begin() + first);
    };
    for (WindowGroup& group : result_.groups) keep(group.windows);
    keep(result_.windows);
  }

  Profile const& profile_;
  Selection const& selection_;
  TimeWindows result_;
  std::map<std::uint32_t, std::uint32_t> last_of_group_;  // the last rank, by the first
};

// Seconds, with a unit or without, or per cent.
std::optional<RunMoment> parse_moment(std::string_view text) {
  std::size_t const end = std::min(text.find_first_not_of("0123456789."), text.size());
  auto const number = number_in<double>(text.substr(0, end));
  std::string_view const unit = text.substr(end);
  if (!number) return std::nullopt;
  if (unit == "%" && *number <= 100) return RunMoment{*number / 100, true};
  for (auto const& [name, seconds] :
       {std::pair("", 1.0), std::pair("s", 1.0), std::pair("ms", 1e-3), std::pair("us", 1e-6), std::pair("ns", 1e-9)})
    if (unit == name) return RunMoment{*number * seconds, false};
  return std::nullopt;
}

}  // namespace

std::optional<RunPart> RunPart::parse(std::string_view text) {
  std::size_t const dash = text.find('-');
  if (dash == text.npos || text.size() == 1) return std::nullopt;
  RunPart part;
  for (auto const& [end, moment] : {std::pair{&part.from, text.substr(0, dash)}, {&part.to, text.substr(dash + 1)}}) {
    if (moment.empty()) continue;
    *end = parse_moment(moment);
    if (!*end) return std::nullopt;
  }
  return part;
}

WindowSum& WindowSum::operator+=(WindowSum const& other) {
  calls += other.calls;
  bytes += other.bytes;
  mpi_s += other.mpi_s;
  for (std::size_t kind = 0; kind < of_kind_s.size(); ++kind) {
    of_kind_s[kind] += other.of_kind_s[kind];
    calls_of_kind[kind] += other.calls_of_kind[kind];
  }
  threads_s += other.threads_s;
  ranks_s += other.ranks_s;
  return *this;
}

WindowSum TimeWindows::job(std::size_t window) const {
  WindowSum sum;
  for (WindowGroup const& group : groups) sum += group.windows[window];
  return sum;
}

TimeWindows::Useful TimeWindows::useful(std::size_t window) const {
  Useful useful;
  for (WindowGroup const& group : groups) {
    double const here_s = group.windows[window].useful_s();
    useful.all_s += here_s;
    useful.most_s = std::max(useful.most_s, here_s / group.size());
    useful.ranks += group.size();
  }
  return useful;
}

bool has_windows(Profile const& profile) {
  auto const rows = profile.expected_rows(commprof::schema::when.name);
  return profile.run().windows && profile.holds(commprof::schema::when) && rows != 0;
}

TimeWindows read_windows(Profile const& profile, Selection const& selection, Overview const& overview,
                         RunPart const& part) {
  return WindowsReader(profile, selection, overview).run(part);
}

TimeWindows joined(TimeWindows const& all, std::size_t windows, std::size_t groups) {
  TimeWindows result;
  static_cast<Overview&>(result) = all;
  for (std::size_t i = 0; i < all.windows.size(); i += windows)
    result.windows.push_back(
        {all.windows[i].begin_s, all.windows[std::min(i + windows, all.windows.size()) - 1].end_s});
  for (std::size_t i = 0; i < all.groups.size(); ++i) {
    if (i % groups == 0) result.groups.push_back({{}, std::vector<WindowSum>(result.windows.size())});
    WindowGroup& group = result.groups.back();
    group.ranks.append(all.groups[i].ranks);
    for (std::size_t window = 0; window < all.windows.size(); ++window)
      group.windows[window / windows] += all.groups[i].windows[window];
  }
  return result;
}

}  // namespace mpisee_through
