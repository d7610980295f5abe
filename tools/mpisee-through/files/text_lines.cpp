#include "files/text_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "files/number_in.hpp"
#include "files/profile_error.hpp"

namespace mpisee_through {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  text = text.substr(0, text.find('#'));
  auto const begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

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
  std::size_t const open = member.find('['), close = member.find(']');
  if (close < open || (open != member.npos && close == member.npos)) return std::nullopt;
  if (std::ranges::count(member, '[') > std::ptrdiff_t{longest_name}) return std::nullopt;
  std::optional<std::vector<std::string>> numbers({""}), rest({""});
  if (open != member.npos) {
    numbers = expand_ranges(member.substr(open + 1, close - open - 1));
    rest = expand_member(member.substr(close + 1));
  }
  if (!numbers || !rest || numbers->size() * rest->size() > most_names) return std::nullopt;
  std::vector<std::string> names;
  for (std::string const& number : *numbers)
    for (std::string const& end : *rest) {
      names.push_back(fmt::format("{}{}{}", member.substr(0, std::min(open, longest_name + 1)), number, end));
      if (names.back().size() > longest_name) return std::nullopt;
    }
  return names;
}

}  // namespace

std::vector<TextLine> read_text_lines(std::filesystem::path const& file, bool continued) {
  std::ifstream in(file);
  if (!in) throw ProfileError(file, std::nullopt, std::strerror(errno));
  std::vector<TextLine> lines;
  std::string line, before;
  std::size_t begun = 0;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (before.empty()) begun = number;
    std::string_view const text = trimmed(line);
    if (continued && text.ends_with('\\')) {
      before += std::string(text.substr(0, text.size() - 1)) + ' ';
      continue;
    }
    std::string const whole = before + std::string(text);
    before.clear();
    if (!trimmed(whole).empty()) lines.push_back({begun, std::string(trimmed(whole))});
  }
  if (in.bad()) throw ProfileError(file, std::nullopt, "cannot be read");
  if (!trimmed(before).empty()) lines.push_back({begun, std::string(trimmed(before))});
  return lines;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (auto begin = text.find_first_not_of(blanks); begin != std::string_view::npos;) {
    auto const end = std::min(text.find_first_of(blanks, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(blanks, end);
  }
  return words;
}

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
