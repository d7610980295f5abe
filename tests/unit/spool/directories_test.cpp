#include "spool/directories.hpp"

#include <linux/magic.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <utility>

#include "support/environment.hpp"
#include "support/temporary_directory.hpp"

using namespace commprof;
namespace fs = std::filesystem;

namespace {

std::string name_of_unsuited(std::uint32_t type) {
  auto const* const found = std::ranges::find(spool::unsuited_file_systems, type, &spool::UnsuitedFileSystem::type);
  return found == spool::unsuited_file_systems.end() ? "" : std::string(found->name);
}

struct Opened {
  explicit Opened(std::string const& preferred, std::string const& name = "run")
      : is_open(spool::open_on_node(preferred, name, path)) {}
  char path[PATH_MAX] = "?";
  bool is_open;
};

}  // namespace

TEST_CASE("spool files do not belong on servers, nor where a store needs a new block") {
  std::pair<std::uint32_t, char const*> const shared[] = {
      {NFS_SUPER_MAGIC, "NFS"},   {SMB2_SUPER_MAGIC, "SMB2"}, {CIFS_SUPER_MAGIC, "CIFS"},
      {CEPH_SUPER_MAGIC, "Ceph"}, {V9FS_MAGIC, "9p"},         {FUSE_SUPER_MAGIC, "FUSE"},
      {AFS_SUPER_MAGIC, "AFS"},   {0x47504653, "GPFS"}};  // its name in ASCII
  for (auto const& [type, name] : shared) CHECK(name_of_unsuited(type) == name);
  REQUIRE(spool::find_unsuited(BTRFS_SUPER_MAGIC) != nullptr);
  CHECK(spool::find_unsuited(BTRFS_SUPER_MAGIC)->why == spool::copying);
  CHECK(spool::keeps_parts(BTRFS_SUPER_MAGIC));
  for (std::uint32_t const local : std::initializer_list<std::uint32_t>{EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, TMPFS_MAGIC,
                                                                        RAMFS_MAGIC, OVERLAYFS_SUPER_MAGIC})
    CHECK(spool::find_unsuited(local) == nullptr);
  auto const& all = spool::unsuited_file_systems;  // each once, in the order of the numbers
  CHECK(std::ranges::adjacent_find(all, std::ranges::greater_equal{}, &spool::UnsuitedFileSystem::type) == all.end());
  for (spool::UnsuitedFileSystem const& one : all) CHECK(spool::find_unsuited(one.type) == &one);
  CHECK(spool::find_unsuited("/dev/shm") == nullptr);
  CHECK(spool::find_unsuited((TemporaryDirectory() / "missing").c_str()) == nullptr);
}

TEST_CASE("TMPDIR comes before the directories of the system") {
  Environment environment;
  TemporaryDirectory const home;
  environment.set("TMPDIR", home / "");
  CHECK(std::string(*spool::node_directories().begin()) == home / "");
  CHECK(spool::node_directories().count == 4);
  environment.set("TMPDIR", "relative");
  CHECK(std::string(*spool::node_directories().begin()) == "/tmp");
  environment.unset("TMPDIR");
  CHECK(spool::node_directories().count == 3);
}

TEST_CASE("a directory on the node is private, and made once, where rank 0 has it or in TMPDIR") {
  Environment environment;
  TemporaryDirectory const here, there;
  environment.set("TMPDIR", here / ".");
  for (int i = 0; i < 2; ++i) {
    Opened const own("");
    REQUIRE(own.is_open);
    CHECK(std::string(own.path) == here / "./run");
    struct stat status {};
    REQUIRE(stat(own.path, &status) == 0);
    CHECK(((status.st_mode & 07777) == 0700 && status.st_uid == geteuid()));
  }
  CHECK(std::string(Opened(there / ".").path) == there / "./run");
  CHECK(std::string(Opened(there / "only-on-another-host").path) == here / "./run");
  for (TemporaryDirectory const* const one : {&here, &there}) CHECK(one->names() == std::set<std::string>{"run"});
}

TEST_CASE("without a place on the node there is no path") {
  Environment environment;
  TemporaryDirectory const home;
  environment.set("TMPDIR", home / "missing");
  Opened const none(home / "missing", std::string(NAME_MAX + 1, 'x'));
  CHECK_FALSE(none.is_open);
  CHECK(std::string(none.path).empty());
}

TEST_CASE("a directory of another user is passed over") {
  if (geteuid() != 0) return;
  Environment environment;
  TemporaryDirectory const shared, own;
  fs::create_directory(shared / "run");
  REQUIRE(chown((shared / "run").c_str(), 65534, 65534) == 0);
  environment.set("TMPDIR", own / ".");
  CHECK(std::string(Opened(shared / ".").path) == own / "./run");
}
