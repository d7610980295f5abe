#include "spool/node_directory.hpp"

#include <linux/magic.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "support/environment.hpp"
#include "support/temporary_directory.hpp"

using namespace commprof;
namespace fs = std::filesystem;

namespace {

std::string name_of_shared(std::uint32_t type) {
  auto const* const found = std::ranges::find(spool::shared_file_systems, type, &spool::SharedFileSystem::type);
  return found == spool::shared_file_systems.end() ? "" : std::string(found->name);
}

std::uint32_t in_ascii(std::string const& letters) {
  std::uint32_t number = 0;
  for (char const letter : letters) number = number << 8 | static_cast<unsigned char>(letter);
  return number;
}

struct Opened {
  explicit Opened(std::string const& preferred, std::string const& name = "run")
      : is_open(spool::open_on_node(preferred, name, path)) {}
  char path[PATH_MAX] = "?";
  bool is_open;
};

}  // namespace

TEST_CASE("file systems of servers are shared, those of disks and memory are not") {
  CHECK(name_of_shared(NFS_SUPER_MAGIC) == "NFS");
  CHECK(name_of_shared(SMB_SUPER_MAGIC) == "SMB");
  CHECK(name_of_shared(SMB2_SUPER_MAGIC) == "SMB2");
  CHECK(name_of_shared(CIFS_SUPER_MAGIC) == "CIFS");
  CHECK(name_of_shared(CEPH_SUPER_MAGIC) == "Ceph");
  CHECK(name_of_shared(V9FS_MAGIC) == "9p");
  CHECK(name_of_shared(FUSE_SUPER_MAGIC) == "FUSE");
  CHECK(name_of_shared(AFS_SUPER_MAGIC) == "AFS");
  CHECK(name_of_shared(AFS_FS_MAGIC) == "kAFS");
  CHECK(name_of_shared(CODA_SUPER_MAGIC) == "Coda");
  CHECK(name_of_shared(NCP_SUPER_MAGIC) == "NCP");
  CHECK(name_of_shared(OCFS2_SUPER_MAGIC) == "OCFS2");
  // Named after their numbers in ASCII.
  CHECK(name_of_shared(in_ascii("GPFS")) == "GPFS");
  for (std::uint32_t const local : std::initializer_list<std::uint32_t>{
           EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, TMPFS_MAGIC, RAMFS_MAGIC, OVERLAYFS_SUPER_MAGIC, F2FS_SUPER_MAGIC,
           MSDOS_SUPER_MAGIC, BTRFS_SUPER_MAGIC})
    CHECK_FALSE(spool::is_shared(local));
}

TEST_CASE("each shared file system stands once, in the order of the numbers") {
  auto const& all = spool::shared_file_systems;
  CHECK(std::ranges::adjacent_find(all, std::ranges::greater_equal{}, &spool::SharedFileSystem::type) == all.end());
  for (spool::SharedFileSystem const& one : all) CHECK(spool::is_shared(one.type));
}

TEST_CASE("what does not exist is on no shared file system") {
  CHECK_FALSE(spool::is_on_shared("/dev/shm"));
  CHECK_FALSE(spool::is_on_shared((TemporaryDirectory() / "missing").c_str()));
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

TEST_CASE("a directory on the node is private, and made once") {
  Environment environment;
  TemporaryDirectory const home;
  environment.set("TMPDIR", home / ".");
  Opened const first("");
  REQUIRE(first.is_open);
  CHECK(std::string(first.path) == home / "./run");
  struct stat status {};
  REQUIRE(stat(first.path, &status) == 0);
  CHECK((status.st_mode & 07777) == 0700);
  CHECK(status.st_uid == geteuid());
  Opened const second("");
  CHECK(second.is_open);
  CHECK(std::string(second.path) == first.path);
  CHECK(home.names() == std::set<std::string>{"run"});
}

TEST_CASE("rank 0's place is taken if this host has it, and never made") {
  Environment environment;
  TemporaryDirectory const here, there;
  environment.set("TMPDIR", here / ".");
  CHECK(std::string(Opened(there / ".").path) == there / "./run");
  Opened const other(there / "only-on-another-host");
  CHECK(other.is_open);
  CHECK(std::string(other.path) == here / "./run");
  CHECK(there.names() == std::set<std::string>{"run"});
}

TEST_CASE("without a place on the node there is no path") {
  Environment environment;
  TemporaryDirectory const home;
  environment.set("TMPDIR", home / "missing");
  Opened const none(home / "missing", "a/../../../proc/no/such");
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
