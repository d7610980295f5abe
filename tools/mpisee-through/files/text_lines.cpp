#include "files/text_lines.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

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

}  // namespace mpisee_through
