#include "comm_naming/parent_world.hpp"

#include <charconv>
#include <cstdio>

#include "base/command_line.hpp"
#include "options/options.hpp"

namespace commprof {

namespace {

// Removes the first word from a text.
std::string_view next_word(std::string_view& text) {
  std::size_t const end = text.find(' ');
  std::string_view const word = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return word;
}

template <class Number>
bool parse(std::string_view word, Number& number) {
  auto const [stopped, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc{} && stopped == word.data() + word.size();
}

}  // namespace

void write_parent_setting(RunFacts const& facts, std::string_view comm, char* text, std::size_t capacity) {
  std::string_view const program = CommandLine::program_name();
  int const length =
      std::snprintf(text, capacity, "%s=%s %d %d %.*s %.*s", parent_variable.data(), facts.host, facts.pid, facts.rank,
                    static_cast<int>(comm.size()), comm.data(), static_cast<int>(program.size()), program.data());
  if (length < 0 || static_cast<std::size_t>(length) >= capacity ||
      std::string_view(text).find('\n') != std::string_view::npos)
    text[0] = '\0';
}

bool read_parent_setting(char const* value, ParentWorld& parent) {
  if (value == nullptr) return false;
  std::string_view text = value;
  parent.host = next_word(text);
  bool const are_numbers = parse(next_word(text), parent.pid) && parse(next_word(text), parent.rank);
  parent.comm = next_word(text);
  parent.program = text;
  return are_numbers && !parent.host.empty() && !parent.comm.empty();
}

}  // namespace commprof
