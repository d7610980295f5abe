// The windows of time for the page: few enough ranks for a browser, all windows.
#include <cmath>

#include "report/json_parts.hpp"
#include "summary/repeated_phases.hpp"
#include "summary/time_windows.hpp"

namespace mpisee_through {
namespace {

// Ten-thousandths, which take at most two bytes.
std::uint64_t small_part(std::optional<double> share) {
  return static_cast<std::uint64_t>(std::lround(std::clamp(share.value_or(0), 0.0, 1.0) * 10000));
}

template <class Of>
std::string for_each_window(TimeWindows const& all, Of of) {
  std::vector<std::uint64_t> column;
  for (WindowGroup const& group : all.groups)
    for (WindowSum const& sum : group.windows) column.push_back(of(sum));
  return pack_counts(column);
}

std::string of_job(TimeWindows const& all, std::optional<double> (TimeWindows::*value)(std::size_t) const) {
  std::vector<std::uint64_t> column;
  for (std::size_t i = 0; i < all.windows.size(); ++i) column.push_back(small_part((all.*value)(i)));
  return pack_counts(column);
}

}  // namespace

Json windows_json(TimeWindows const& single) {
  constexpr std::size_t most_groups = 256;
  std::size_t const every = (single.groups.size() + most_groups - 1) / most_groups;
  TimeWindows const all = joined(single, 1, std::max<std::size_t>(every, 1));
  Json ranks = Json::array(), sizes = Json::array();
  for (WindowGroup const& group : all.groups) {
    ranks.push_back(group.ranks.to_string());
    sizes.push_back(group.ranks.size());
  }
  auto const share = [](WindowSum const& sum) { return small_part(sum.mpi_share()); };
  Json shares{{"all", for_each_window(all, share)}};
  WindowSum used;
  for (std::size_t i = 0; i < all.windows.size(); ++i) used += all.job(i);
  for (std::size_t kind = 0; kind < window_kinds.size(); ++kind) {
    if (used.calls_of_kind[kind] == 0) continue;
    shares[std::string(window_kinds.rows[kind].name)] = for_each_window(
        all, [&](WindowSum const& sum) { return small_part(share_of(sum.of_kind_s[kind], sum.threads_s)); });
  }
  auto const phases = find_phases(single);
  return {{"phases", phases ? in_words(*phases) : ""},
          {"ranks", ranks},
          {"sizes", sizes},
          {"has_common_clock", single.run.windows->has_common_clock},
          {"begins", seconds_of(all.windows, [](WindowSpan const& one) { return one.begin_s; })},
          {"lengths", seconds_of(all.windows, [](WindowSpan const& one) { return one.length_s(); })},
          {"efficiency", of_job(single, &TimeWindows::parallel_efficiency)},
          {"balance", of_job(single, &TimeWindows::load_balance)},
          {"shares", shares},
          {"bytes", for_each_window(all, [](WindowSum const& sum) { return sum.bytes; })}};
}

}  // namespace mpisee_through
