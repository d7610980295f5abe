#include "files/host_list.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "files/number_in.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t most_names = 1'000'000;
constexpr std::size_t longest_name = 255;  // of a host in DNS

// The numbers of "01-16,20" as texts; numbers of a range are as wide as its first one.
std::optional<std::vector<std::string>> expand_ranges(std::string_view ranges) {
  std::vector<std::string> numbers;
  while (true) {
    std::string_view const range = ranges.substr(0, ranges.find(','));
    std::string_view const first = range.substr(0, range.find('-'));
    std::string_view const last = first.size() == range.size() ? first : range.substr(first.size() + 1);
    auto const begin = number_in<std::uint64_t>(first), end = number_in<std::uint64_t>(last);
    if (first.size() > longest_name || !begin || !end || *end < *begin) return std::nullopt;
    if (*end - *begin >= most_names - numbers.size()) return std::nullopt;
    for (std::uint64_t i = *begin; i <= *end; ++i) numbers.push_back(fmt::format("{:0{}}", i, first.size()));
    if (range.size() == ranges.size()) return numbers;
    ranges.remove_prefix(range.size() + 1);
  }
}

// Expands one member of the list, which may have several brackets.
std::optional<std::vector<std::string>> expand_member(std::string_view member) {
  std::vector<std::string> names{""};
  while (!member.empty()) {
    std::size_t const open = member.find('[');
    std::string_view const text = member.substr(0, open);
    std::vector<std::string> numbers{""};
    if (text.find(']') != std::string_view::npos) return std::nullopt;
    if (open != std::string_view::npos) {
      std::size_t const close = member.find(']', open);
      if (close == std::string_view::npos) return std::nullopt;
      auto const expanded = expand_ranges(member.substr(open + 1, close - open - 1));
      if (!expanded || names.size() * expanded->size() > most_names) return std::nullopt;
      numbers = *expanded;
      member.remove_prefix(close + 1);
    } else {
      member = {};
    }
    std::vector<std::string> longer;
    longer.reserve(names.size() * numbers.size());
    for (std::string const& name : names)
      for (std::string const& number : numbers) {
        longer.push_back(fmt::format("{}{}{}", name, text, number));
        if (longer.back().size() > longest_name) return std::nullopt;
      }
    names = std::move(longer);
  }
  return names;
}

}  // namespace

std::optional<std::vector<std::string>> expand_host_list(std::string_view list) {
  std::vector<std::string> names;
  while (true) {
    std::size_t end = 0;
    for (int depth = 0; end < list.size() && (list[end] != ',' || depth > 0); ++end)
      depth += (list[end] == '[' ? 1 : 0) - (list[end] == ']' ? 1 : 0);
    auto const some = expand_member(list.substr(0, end));
    if (end == 0 || !some || names.size() + some->size() > most_names) return std::nullopt;
    names.insert(names.end(), some->begin(), some->end());
    if (end == list.size()) return names;
    list.remove_prefix(end + 1);
  }
}

}  // namespace mpisee_through
