#include "calls/call_table.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/temporary_directory.hpp"

using namespace commprof;

namespace {

std::vector<std::string> matches(std::string const& text, char const* pattern) {
  std::regex const expression(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}

}  // namespace

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

TEST_CASE("no process leaves a call before all have entered it if each has data for each") {
  std::set<std::string_view> aligning;
  for (calls::Row const& row : calls::rows)
    if (calls::aligns_members(row)) aligning.insert(row.name);
  CHECK(aligning ==
        std::set<std::string_view>{"Barrier", "Allgather", "Alltoall", "Allreduce", "Reduce_scatter_block"});
}
