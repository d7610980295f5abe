#include "scaling/history.hpp"

#include <catch2/catch.hpp>

#include "files/profile_error.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// A directory of folders of commits.
class Commits {
 public:
  void add(std::string const& folder, std::string const& profile, std::uint32_t ranks, std::string const& start) {
    TemporaryProfile const run({.ranks = ranks, .more_of_run = ",\n\"start\": \"" + start + "\""});
    std::filesystem::create_directories(home_.path() / folder);
    std::filesystem::copy(run.path(), home_.path() / folder / profile);
  }
  [[nodiscard]] TemporaryProfile const& home() const { return home_; }

 private:
  TemporaryProfile home_;
};

}  // namespace

TEST_CASE("commits are in the order of their first runs, with their names") {
  Commits commits;
  commits.add("b", "late", 4, "2026-11-21T10:00:00Z");
  commits.add("b", "early", 2, "2026-11-20T10:00:00Z");
  commits.add("a", "run", 2, "2026-11-22T10:00:00Z");
  commits.home().write("b/commit", "0123456789abcdef0123456789abcdef01234567 \n");
  std::filesystem::create_directory(commits.home().path() / "empty");
  History const history = read_history(commits.home().path(), "", std::nullopt);
  REQUIRE(history.size() == 2);
  CHECK(history[0].commit == "0123456789abcdef0123456789abcdef01234567");
  CHECK(history[0].start == "2026-11-20T10:00:00Z");
  CHECK(history[0].scaling.points.size() == 2);
  CHECK(history[1].commit == "a");
  CHECK(history[1].scaling.points.size() == 1);
  CHECK(point_before(history, 1, 2) == &history[0].scaling.points[0]);
  CHECK(point_before(history, 1, 8) == nullptr);
  CHECK(point_before(history, 0, 2) == nullptr);
}

TEST_CASE("a folder may be the profile of the only run") {
  Commits commits;
  commits.add(".", "a", 2, "2026-11-20T10:00:00Z");
  commits.add(".", "b", 2, "2026-11-21T10:00:00Z");
  std::filesystem::remove(commits.home().path() / "run.json");
  History const history = read_history(commits.home().path(), "", std::nullopt);
  REQUIRE(history.size() == 2);
  CHECK(history[1].commit == "b");
}

TEST_CASE("a directory without such folders is no history") {
  TemporaryProfile const home;
  CHECK_THROWS_AS(read_history(home.path(), "", std::nullopt), ProfileError);
  CHECK_THROWS_AS(read_history(home.path() / "nowhere", "", std::nullopt), ProfileError);
}
