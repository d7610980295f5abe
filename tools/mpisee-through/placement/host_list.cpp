#include "placement/host_list.hpp"

#include <fmt/format.h>

#include <charconv>

namespace mpisee_through {
namespace {

constexpr std::size_t most_names = 1'000'000;

// Up to the next comma outside brackets, which is removed, too.
std::string_view take_item(std::string_view& text) {
  std::size_t end = 0;
  bool in_brackets = false;
  for (; end < text.size() && (in_brackets || text[end] != ','); ++end) {
    if (text[end] == '[') in_brackets = true;
    if (text[end] == ']') in_brackets = false;
  }
  std::string_view const item = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return item;
}

std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The numbers in brackets, as text. False if they are none.
bool expand_range(std::string_view range, std::vector<std::string>& numbers) {
  auto const dash = range.find('-');
  std::string_view const first = range.substr(0, dash);
  auto const begin = number_in(first), end = dash == std::string_view::npos ? begin : number_in(range.substr(dash + 1));
  if (!begin || !end || *end < *begin || *end - *begin >= most_names - numbers.size()) return false;
  for (std::size_t number = *begin; number <= *end; ++number)
    numbers.push_back(fmt::format("{:0{}}", number, first.size()));
  return true;
}

bool expand(std::string const& before, std::string_view item, std::vector<std::string>& names) {
  auto const open = item.find('['), close = item.find(']');
  if (open == std::string_view::npos) {
    if (close != std::string_view::npos || names.size() >= most_names) return false;
    names.push_back(before + std::string(item));
    return !names.back().empty();
  }
  if (close == std::string_view::npos || close < open) return false;
  std::vector<std::string> numbers;
  for (std::string_view ranges = item.substr(open + 1, close - open - 1); !ranges.empty();)
    if (!expand_range(take_item(ranges), numbers)) return false;
  for (std::string const& number : numbers)
    if (!expand(before + std::string(item.substr(0, open)) + number, item.substr(close + 1), names)) return false;
  return !numbers.empty();
}

}  // namespace

std::optional<std::vector<std::string>> expand_host_list(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty())
    if (!expand("", take_item(text), names)) return std::nullopt;
  if (names.empty()) return std::nullopt;
  return names;
}

}  // namespace mpisee_through
