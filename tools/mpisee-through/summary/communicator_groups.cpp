#include "summary/communicator_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "summary/row_filter.hpp"

namespace mpisee_through {
namespace {

constexpr std::string_view number_digits = "0123456789";

// A name in parts: texts, and numbers between them.
struct NameParts {
  std::vector<std::string_view> texts;  // one more than numbers
  std::vector<std::int32_t> numbers;
};

// Takes a number from the front of a text; nothing if its digits do not follow from its value.
std::optional<std::int32_t> take_value(std::string_view& text) {
  std::string_view const number = text.substr(0, std::min(text.find_first_not_of(number_digits), text.size()));
  std::int32_t value = 0;
  bool const is_number = std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc{};
  if (!is_number || (number.size() > 1 && number.front() == '0')) return std::nullopt;
  text.remove_prefix(number.size());
  return value;
}

// Nothing if a number is too large, or begins with 0.
std::optional<NameParts> parts_of(std::string_view name) {
  NameParts parts;
  while (true) {
    std::size_t const begin = std::min(name.find_first_of(number_digits), name.size());
    parts.texts.push_back(name.substr(0, begin));
    name.remove_prefix(begin);
    if (name.empty()) return parts;
    auto const number = take_value(name);
    if (!number) return std::nullopt;
    parts.numbers.push_back(*number);
  }
}

// A pattern for names that begin alike.
std::string pattern_of_start(std::vector<std::string_view> const& names) {
  std::string_view start = names.front();
  for (std::string_view const name : names)
    start = start.substr(0, std::ranges::mismatch(start, name).in1 - start.begin());
  return literally(start.substr(0, start.find('*'))) + "*";
}

}  // namespace

std::string name_of_group(std::vector<std::string_view> const& names) {
  constexpr std::size_t longest = 48;
  std::optional<NameParts> const first = parts_of(names.front());
  std::vector<std::set<std::int32_t>> numbers(first ? first->numbers.size() : 0);
  for (std::string_view const name : names) {
    auto const parts = parts_of(name);
    if (!first || !parts || parts->texts != first->texts) return pattern_of_start(names);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i].insert(parts->numbers[i]);
  }
  std::string group, pattern;
  std::size_t members = 1;
  for (std::size_t i = 0; i < first->texts.size(); ++i) {
    group += first->texts[i];
    pattern += literally(first->texts[i]);
    if (i == numbers.size()) break;
    bool const is_one = numbers[i].size() == 1;
    std::string const list = ranges_of({numbers[i].begin(), numbers[i].end()});
    group += is_one ? list : "{" + list + "}";
    pattern += is_one ? list : "*";
    members *= numbers[i].size();
  }
  return members == std::set(names.begin(), names.end()).size() && group.size() <= longest ? group : pattern;
}

std::string name_of_group(Summary const& summary, CommunicatorGroup const& group) {
  std::vector<std::string_view> names;
  for (CommunicatorIndex const index : group.members) names.push_back(summary.communicator(index).name);
  return group.is_joined() ? name_of_group(names) : std::string();
}

bool stands_for(std::string_view group, std::string_view communicator) {
  while (true) {
    std::string_view const text = group.substr(0, group.find('{'));
    if (!communicator.starts_with(text)) return false;
    communicator.remove_prefix(text.size());
    group.remove_prefix(text.size());
    if (group.empty()) return communicator.empty();
    std::size_t const end = group.find('}');
    auto const number = take_value(communicator);
    auto const list = RankSet::parse(group.substr(1, end == group.npos ? end : end - 1));
    if (end == group.npos || !number || !list || !list->contains(static_cast<WorldRank>(*number))) return false;
    group.remove_prefix(end + 1);
  }
}

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
