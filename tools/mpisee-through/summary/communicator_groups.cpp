#include "summary/communicator_groups.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace mpisee_through {

std::vector<CommunicatorGroup> group_by_maker(Summary const& summary,
                                              std::vector<CommunicatorIndex> const& communicators) {
  using Maker = std::tuple<std::string_view, std::string_view, std::uint64_t>;
  auto const maker_of = [&](CommunicatorIndex index) {
    CommunicatorSummary const& one = summary.communicator(index);
    return Maker{one.created_at, one.created_by, one.size};
  };
  std::map<Maker, std::size_t> made;
  for (CommunicatorIndex const index : communicators)
    if (!summary.communicator(index).created_at.empty()) ++made[maker_of(index)];
  std::map<Maker, std::size_t> joined;
  std::vector<CommunicatorGroup> groups;
  groups.reserve(communicators.size());
  for (CommunicatorIndex const index : communicators) {
    CommunicatorSummary const& one = summary.communicator(index);
    bool const joins = !one.created_at.empty() && made[maker_of(index)] >= fewest_to_join;
    auto const [place, is_new] =
        joins ? joined.try_emplace(maker_of(index), groups.size()) : std::pair(joined.end(), true);
    CommunicatorGroup& group = is_new ? groups.emplace_back() : groups[place->second];
    group.members.push_back(index);
    group.totals += one.totals;
  }
  return groups;
}

std::string describe_maker(Summary const& summary, CommunicatorSummary const& communicator) {
  return fmt::format("{} at {}", communicator.created_by, summary.site_names->line(communicator.created_at));
}

}  // namespace mpisee_through
