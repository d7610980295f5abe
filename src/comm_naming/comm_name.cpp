#include "comm_naming/comm_name.hpp"

#include <charconv>
#include <cstdio>
#include <utility>

#include "base/process.hpp"
#include "options/options.hpp"

namespace commprof {

namespace {

constexpr std::size_t max_text_of_tag = 16;

bool is_letter_or_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Whether a text can stand in a name as it is, in any file and list.
bool is_plain(std::string_view text) {
  return text.size() <= max_text_of_tag && std::all_of(text.begin(), text.end(), is_letter_or_digit);
}

std::uint64_t hash_of(CallTag const& tag) {
  return scattered(commprof::hash_of(tag.text()) ^ static_cast<std::uint32_t>(tag.number));
}

}  // namespace

MembersOfCall MembersOfCall::of(RankSet const& one, RankSet const& other) {
  MembersOfCall call;
  call.group = one;
  call.other_group = other;
  if (other.count() > 0 && other.smallest() < one.smallest()) std::swap(call.group, call.other_group);
  return call;
}

std::uint64_t MembersOfCall::hash() const {
  return scattered(scattered(group.hash() + 1) ^ scattered(other_group.hash() + 2) ^ scattered(hash_of(tag) + 3));
}

void NameWriter::put_ranks(RankSet const& ranks) {
  put_number(ranks.smallest());
  if (ranks.count() <= 1) return;
  if (!ranks.is_range()) {
    put(".");
    return put_number(ranks.short_hash(), 16);
  }
  put("-");
  put_number(ranks.largest());
  if (ranks.stride() == 1) return;
  put(":");
  put_number(ranks.stride());
}

void NameWriter::put_tag(CallTag const& tag) {
  if (tag.number != 0) {
    put(".t");
    put_number(tag.number);
  }
  if (tag.length == 0) return;
  put(".");
  if (is_plain(tag.text())) put(tag.text());
  else put_number(static_cast<std::uint32_t>(hash_of(tag)), 16);
}

void NameWriter::put_members(MembersOfCall const& call) {
  put(".");
  put_ranks(call.group);
  if (call.other_group.count() > 0) {
    put(".");
    put_ranks(call.other_group);
  }
  put_tag(call.tag);
}

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
