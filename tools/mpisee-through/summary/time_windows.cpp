#include "summary/time_windows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "files/number_in.hpp"
#include "reader/profile_reader.hpp"

namespace mpisee_through {
namespace {

// Files have nanoseconds.
constexpr double rounding_s = 2e-9;

struct KeptRow {
  std::uint32_t first;
  CallKind kind;
  double begin_s;
  std::uint64_t calls, bytes;
  double mpi_s;
};

// The windows begin at multiples of their width from some moment on. The first and the last one may be shorter.
class WindowGrid {
 public:
  explicit WindowGrid(double width_s) : width_s_(width_s) {}

  void note(double begin_s, double end_s) {
    end_s_ = std::max(end_s_, end_s);
    if (begin_s > rounding_s) anchor_at(begin_s);
    else if (end_s - begin_s < width_s_ - rounding_s) anchor_s_ = end_s;
  }
  void merge(WindowGrid const& other) {
    end_s_ = std::max(end_s_, other.end_s_);
    if (other.anchor_s_) anchor_at(*other.anchor_s_);
  }

  std::vector<WindowSpan> windows(double least_end_s) {
    end_s_ = std::max(end_s_, least_end_s);
    double const anchor_s = anchor_s_.value_or(0);
    double const before = std::floor((anchor_s + rounding_s) / width_s_);
    first_s_ = std::max(anchor_s - before * width_s_, 0.0);
    if (first_s_ < rounding_s) first_s_ = 0;
    std::vector<WindowSpan> all;
    if (first_s_ > 0) all.push_back({0, std::min(first_s_, end_s_)});
    if ((end_s_ - first_s_) / width_s_ > most_windows) return {};
    for (double number = 0; first_s_ + number * width_s_ < end_s_ - rounding_s; ++number)
      all.push_back({first_s_ + number * width_s_, std::min(first_s_ + (number + 1) * width_s_, end_s_)});
    return all;
  }
  // Valid after windows().
  [[nodiscard]] std::size_t index_of(double begin_s) const {
    if (begin_s <= rounding_s && first_s_ > 0) return 0;
    auto const number = std::lround((begin_s - first_s_) / width_s_);
    return static_cast<std::size_t>(std::max(number, 0L)) + (first_s_ > 0 ? 1 : 0);
  }

  static constexpr double most_windows = 1 << 16;

 private:
  void anchor_at(double begin_s) { anchor_s_ = std::min(anchor_s_.value_or(begin_s), begin_s); }

  double width_s_;
  double end_s_ = 0;
  std::optional<double> anchor_s_{};  // the begin of a window
  double first_s_ = 0;                // the begin of the first whole window
};

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
  if (!selection.ranks) return true;
  return group_of(first, last).count_in(*selection.ranks) > 0;
}

class WindowsReader {
 public:
  WindowsReader(Profile const& profile, Selection const& selection, RunPart const& part, Overview overview)
      : profile_(profile), selection_(selection), part_(part), grid_(profile.run().windows->width_s) {
    static_cast<Overview&>(result_) = std::move(overview);
  }

  TimeWindows run() {
    if (std::ranges::count(selection_.kinds, OperationKind::communicator) > 0)
      throw SelectionError("--kind communicator: windows of time count calls that make communicators as other");
    auto const parts = read_in_parts<WhenRows>(profile_, [this](WhenRows& rows) { return read(rows); });
    for (Part const& part : parts) {
      grid_.merge(part.grid);
      note_groups(part);
    }
    result_.windows = grid_.windows(result_.run.wall_s);
    if (result_.windows.empty()) fail("more windows of time than can be shown");
    add_groups();
    for (Part const& part : parts)
      for (KeptRow const& row : part.rows) add(row);
    restrict();
    return std::move(result_);
  }

 private:
  using Groups = std::map<std::uint32_t, std::uint32_t>;  // the last rank, by the first

  // What one part of the file has.
  struct Part {
    WindowGrid grid;
    Groups last_of_group{};
    std::vector<KeptRow> rows{};
  };

  [[noreturn]] void fail(std::string_view problem) const { WhenRows::fail(profile_, problem); }

  Part read(WhenRows& rows) const {
    Part part{WindowGrid(grid_)};
    while (WhenRow const* row = rows.next()) {
      part.grid.note(row->begin_s, row->end_s);
      auto const [known, is_new] = part.last_of_group.try_emplace(row->first, row->last);
      if (!is_new && known->second != row->last) rows.fail(overlap);
      if (!selects(selection_, row->first, row->last)) continue;
      bool const counts = selects(selection_, row->kind);
      part.rows.push_back(
          {row->first, row->kind, row->begin_s, counts ? row->calls : 0, counts ? row->bytes : 0, row->mpi_s});
    }
    return part;
  }

  void note_groups(Part const& part) {
    for (auto const& [first, last] : part.last_of_group)
      if (last_of_group_.try_emplace(first, last).first->second != last) fail(overlap);
  }

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
    place_of_group_.emplace(first, result_.groups.size());
    result_.groups.push_back(std::move(group));
  }

  void add(KeptRow const& row) {
    auto const group = place_of_group_.find(row.first);
    std::size_t const window = grid_.index_of(row.begin_s);
    if (group == place_of_group_.end() || window >= result_.windows.size())
      fail("a row is in no group of ranks or in no window");
    if (__builtin_add_overflow(all_calls_, row.calls, &all_calls_) ||
        __builtin_add_overflow(all_bytes_, row.bytes, &all_bytes_))
      fail(beyond_counting);
    auto const kind = static_cast<std::size_t>(row.kind);
    WindowSum& sum = result_.groups[group->second].windows[window];
    sum.calls += row.calls;
    sum.bytes += row.bytes;
    if (selects(selection_, row.kind)) sum.mpi_s += row.mpi_s;
    sum.of_kind_s[kind] += row.mpi_s;
    sum.calls_of_kind[kind] += row.calls;
  }

  // Keeps the windows that lie in the part by more than half.
  void restrict() {
    double const end_s = result_.windows.back().end_s;
    double const from_s = part_.from ? part_.from->seconds(end_s) : 0;
    double const to_s = part_.to ? part_.to->seconds(end_s) : end_s;
    std::vector<bool> keeps;
    for (auto const& [begin, end] : result_.windows) {
      double const middle_s = (begin + end) / 2;
      keeps.push_back(from_s <= middle_s && middle_s <= to_s);
    }
    if (std::ranges::count(keeps, true) == 0)
      throw SelectionError(fmt::format("--during: no window of time is between {} s and {} s", from_s, to_s));
    auto const keep = [&](auto& list) {
      std::size_t next = 0;
      std::erase_if(list, [&](auto const&) { return !keeps[next++]; });
    };
    for (WindowGroup& group : result_.groups) keep(group.windows);
    keep(result_.windows);
  }

  static constexpr std::string_view overlap = "groups of ranks overlap";

  Profile const& profile_;
  Selection const& selection_;
  RunPart const& part_;
  WindowGrid grid_;
  TimeWindows result_;
  Groups last_of_group_;
  std::uint64_t all_calls_ = 0, all_bytes_ = 0;
  std::map<std::uint32_t, std::size_t> place_of_group_;  // by the first rank
};

}  // namespace

namespace {

// Seconds, with a unit or without.
std::optional<double> parse_seconds(std::string_view text) {
  std::size_t const end = std::min(text.find_first_not_of("0123456789."), text.size());
  auto const number = number_in<double>(text.substr(0, end));
  if (!number) return std::nullopt;
  constexpr std::array<std::pair<std::string_view, double>, 5> units{
      {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
  std::string_view const unit = text.substr(end);
  for (auto const& [name, seconds] : units) {
    if (unit == name) return *number * seconds;
  }
  return std::nullopt;
}

std::optional<RunMoment> parse_moment(std::string_view text) {
  if (!text.ends_with('%')) {
    auto const seconds = parse_seconds(text);
    return seconds ? std::optional(RunMoment{*seconds, false}) : std::nullopt;
  }
  text.remove_suffix(1);
  auto const percent = number_in<double>(text);
  bool const is_part = percent && *percent >= 0 && *percent <= 100 && !text.starts_with('-');
  return is_part ? std::optional(RunMoment{*percent / 100, true}) : std::nullopt;
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

bool TimeWindows::has_single_ranks() const {
  return std::ranges::all_of(groups, [](WindowGroup const& one) { return one.ranks.size() == 1; });
}

WindowSum TimeWindows::job(std::size_t window) const {
  WindowSum sum;
  for (WindowGroup const& group : groups) sum += group.windows[window];
  return sum;
}

std::optional<double> TimeWindows::parallel_efficiency(std::size_t window) const {
  double useful_s = 0, ranks = 0;
  for (WindowGroup const& group : groups) {
    useful_s += group.windows[window].useful_s();
    ranks += group.size();
  }
  return share_of(useful_s, ranks * windows[window].length_s());
}

std::optional<double> TimeWindows::load_balance(std::size_t window) const {
  double useful_s = 0, most_s = 0, ranks = 0;
  for (WindowGroup const& group : groups) {
    double const here_s = group.windows[window].useful_s();
    useful_s += here_s;
    most_s = std::max(most_s, here_s / group.size());
    ranks += group.size();
  }
  return share_of(useful_s, most_s * ranks);
}

bool has_windows(Profile const& profile) {
  auto const rows = profile.expected_rows(commprof::schema::when.name);
  return profile.run().windows && profile.holds(commprof::schema::when) && rows != 0;
}

TimeWindows read_windows(Profile const& profile, Selection const& selection, RunPart const& part) {
  return WindowsReader(profile, selection, part, read_overview(profile, selection)).run();
}

TimeWindows read_windows(Profile const& profile, Selection const& selection, Overview const& overview) {
  return WindowsReader(profile, selection, {}, overview).run();
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
