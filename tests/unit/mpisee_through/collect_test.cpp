#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "files/temporary_directory.hpp"
#include "recovery/look.hpp"
#include "recovery/recovery.hpp"
#include "support/left_spool.hpp"

namespace fs = std::filesystem;
namespace through = mpisee_through;
using namespace commprof;
using std::string_literals::operator""s;

namespace {

using Ranks = std::vector<std::int32_t>;

// A pid that no process has.
pid_t ended_pid() {
  pid_t const child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return child;
}

std::set<std::string> names_in(fs::path const& directory) {
  std::set<std::string> names;
  for (auto const& entry : fs::directory_iterator(directory)) names.insert(entry.path().filename().string());
  return names;
}

// A node on which a run of four ranks has left files, and the directory of its profile.
class Node {
 public:
  Node() {
    fs::create_directories(profile() / "spool");
    fs::create_directory_symlink(run(), profile() / "spool" / "node");
    fs::create_directories(run());
  }
  fs::path profile() const { return home.path() / "profile"; }
  fs::path run() const { return node.path() / "commprof-profile-20261123T120000-7"; }
  std::string home_text(std::string const& job = "77") const { return profile().string() + '\0' + job; }

  spool::Owner owner(int rank) const {
    spool::Owner owner{.run = 42, .rank = rank, .ranks = 4, .pid = pid, .start_time = {}, .start = {1000}};
    gethostname(owner.host, sizeof owner.host - 1);
    return owner;
  }
  void leave(spool::Owner const& owner) const { leave_spool_file(run(), owner, home_text()); }
  void leave(std::initializer_list<int> ranks) const {
    for (int const rank : ranks) leave(owner(rank));
  }
  through::CollectWish wish(std::optional<fs::path> to = std::nullopt) const {
    return {{node.path()}, std::move(to), ""};
  }

  through::TemporaryDirectory home, node;
  pid_t pid = ended_pid();
};

}  // namespace

TEST_CASE("files of running processes and of other hosts stay") {
  Node const node;
  node.leave({0});
  spool::Owner elsewhere = node.owner(1);
  std::strcpy(elsewhere.host, "some-other-host");
  node.leave(elsewhere);
  // Rank 2 runs in a container, in which it has another pid.
  node.leave({2});
  int ready[2], end[2];
  REQUIRE((pipe(ready) == 0 && pipe(end) == 0));
  pid_t const child = fork();
  if (child == 0) {
    std::fstream const opened(node.run() / "2.spool", std::ios::in | std::ios::out);
    char byte = 0;
    if (write(ready[1], &byte, 1) != 1 || read(end[0], &byte, 1) != 1) _exit(1);
    _exit(0);
  }
  char byte = 0;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  CHECK(through::life_of(node.owner(2), node.run() / "2.spool") == through::Life::running);
  CHECK(through::life_of(node.owner(0), node.run() / "0.spool") == through::Life::ended);
  CHECK(through::life_of(elsewhere, node.run() / "1.spool") == through::Life::unknown);
  auto const runs = through::collect(node.wish());
  CHECK(write(end[1], &byte, 1) == 1);
  waitpid(child, nullptr, 0);
  for (int const descriptor : {ready[0], ready[1], end[0], end[1]}) close(descriptor);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].ranks == Ranks{0});
  CHECK(runs[0].running == Ranks{2});
  CHECK(runs[0].of_others == Ranks{1});
  CHECK(runs[0].host == "some-other-host");
  CHECK(names_in(node.run()) == std::set<std::string>{"1.spool", "2.spool"});
  // Once it has ended, its file is collected.
  CHECK(through::collect(node.wish())[0].ranks == Ranks{2});
}

TEST_CASE("a profile takes the files of its run alone") {
  Node const node;
  node.leave({0, 1});
  Node const other;
  fs::path const second = node.node.path() / "commprof-other-20261123T120001-9";
  fs::create_directories(second);
  spool::Owner owner = node.owner(0);
  owner.run = 43;
  leave_spool_file(second, owner, other.profile().string() + "\0" + "78"s);
  SECTION("of a profile that is named") {
    auto const runs = through::collect(node.wish(node.profile()));
    REQUIRE(runs.size() == 1);
    CHECK(runs[0].ranks == Ranks{0, 1});
    CHECK(names_in(second) == std::set<std::string>{"0.spool"});
  }
  SECTION("whose other files are of another run") {
    fs::remove(other.profile() / "spool" / "node");
    leave_spool_file(other.profile() / "spool", node.owner(3));
    CHECK(through::collect(node.wish(other.profile()))[0].ranks == Ranks{0, 1});
  }
}
