#include "calls/call_table.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "calls/other_calls.hpp"
#include "calls/rules.hpp"
#include "counters/counters.hpp"
#include "join.hpp"
#include "ops.hpp"
#include "support/temporary_directory.hpp"

using namespace commprof;
using generator::words;

namespace {

std::vector<std::string> parameters(calls::Row const& row) { return words(row.parameters); }

bool has(calls::Row const& row, std::string_view parameter) {
  auto const names = parameters(row);
  return std::find(names.begin(), names.end(), parameter) != names.end();
}

calls::Row const& row_of(std::string_view name) {
  auto const row =
      std::find_if(std::begin(calls::rows), std::end(calls::rows), [&](auto const& r) { return r.name == name; });
  REQUIRE(row != std::end(calls::rows));
  return *row;
}

std::vector<std::string> matches(std::string const& text, char const* pattern) {
  std::regex const expression(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}

}  // namespace

TEST_CASE("a call has one row, or one place among the other calls, and parameters with names of their own") {
  std::set<std::string> names;
  auto const add = [&](std::string const& name) {
    INFO(name);
    CHECK((!name.starts_with("MPI_") &&
           !name.ends_with("_c")));  // a call with large counts has the row without the suffix
    CHECK(names.insert(name).second);
  };
  for (calls::Row const& row : calls::rows) {
    add(std::string(row.name));
    auto const own = parameters(row);
    CHECK(std::set<std::string>(own.begin(), own.end()).size() == own.size());
  }
  for (std::string const& name : words(calls::needs_none))
    if (!name.ends_with("_c")) add(name);
  CHECK(static_cast<std::size_t>(Op::count_) <= 1U << RecordKey::op_bits);
}

TEST_CASE("a creation call has the letter that the documentation gives it") {
  std::map<Letter, std::set<std::string>> documented, calls_of;
  std::string const page = contents(COMMPROF_SOURCE_DIR "/docs/design.md");
  std::regex const letter_and_calls("\\| ([a-z]) \\| ([^|]*)");
  for (std::sregex_iterator match(page.begin(), page.end(), letter_and_calls), end; match != end; ++match)
    for (std::string const& name : matches((*match)[2], "`([A-Za-z_]+)`"))
      documented[Letter{match->str(1)[0]}].insert(name);
  std::set<Letter> const several{Letter::split,        Letter::split_type, Letter::create,
                                 Letter::create_group, Letter::cart_sub,   Letter::from_group};
  for (calls::Row const& row : calls::rows) {
    INFO(row.name);
    CHECK((row.kind == calls::creation) == (row.letter != Letter::none));
    if (row.letter != Letter::none) calls_of[row.letter].emplace(row.name);
    CHECK(several.contains(row.letter) == row.several);
  }
  CHECK(calls_of == documented);
}

TEST_CASE("polling calls are those that may return without having found anything") {
  for (calls::Row const& row : calls::rows) {
    INFO(row.name);
    bool const returns_flag = has(row, "flag") && row.family != calls::file;  // a file's flag goes in
    CHECK(row.polls == (returns_flag || row.name.starts_with("Test") || row.rule.starts_with("seen")));
  }
}
