// The directories of spool files: on the host itself where the file system of the profile does not suit them, and
// private to this user, below paths that others may write to, such as /tmp.
#pragma once

#include <array>
#include <climits>
#include <cstdint>
#include <string_view>

#include "base/file.hpp"

namespace commprof {

// Creates the missing parents of a path. parent: on failure, the path that could not be created; errno is set.
bool make_parents(char const* path, char (&parent)[PATH_MAX], mode_t mode);

// Opens a directory that belongs to this user and is no symbolic link, to make files in it. Missing directories of the
// path are made with mode 0700. No descriptor on failure; errno says why.
Descriptor open_private_directory(char const* path);

namespace spool {

// A file system on which spool files do not belong, by f_type of statfs().
struct UnsuitedFileSystem {
  enum class Why : std::uint8_t {
    shared,        // on a server, which a file of each process would burden
    shared_pages,  // and its hosts write whole pages, so what two hosts write into one file may be lost
    copying,       // each change needs a new block, so a store into a mapping raises SIGBUS when the disk is full
  };
  std::uint32_t type;
  std::string_view name;
  Why why = Why::shared;
};
inline constexpr auto by_pages = UnsuitedFileSystem::Why::shared_pages, copying = UnsuitedFileSystem::Why::copying;

// Network and parallel file systems, and those through which a virtual machine reaches its host's files. FUSE is
// included, because on clusters it mostly mounts remote file systems. And file systems that copy on write: fallocate()
// reserves no blocks there for later changes.
inline constexpr std::array<UnsuitedFileSystem, 28> unsuited_file_systems{{
    {0x0000'517B, "SMB", by_pages},
    {0x0000'564C, "NCP", by_pages},
    {0x0000'6969, "NFS", by_pages},
    {0x00C3'6400, "Ceph"},
    {0x0102'1997, "9p", by_pages},
    {0x0116'1970, "GFS2"},
    {0x0131'11A8, "IBRIX"},
    {0x0BD0'0BD0, "Lustre"},
    {0x1803'1977, "WekaFS"},
    {0x1983'0326, "BeeGFS"},
    {0x2003'0528, "OrangeFS"},
    {0x2FC1'2FC1, "ZFS", copying},
    {0x4750'4653, "GPFS"},
    {0x5346'414F, "AFS", by_pages},
    {0x6163'6673, "ACFS"},
    {0x6573'5546, "FUSE", by_pages},
    {0x6B41'4653, "kAFS", by_pages},
    {0x7375'7245, "Coda", by_pages},
    {0x7461'636F, "OCFS2"},
    {0x786F'4256, "vboxsf", by_pages},
    {0x7C7C'6673, "prl_fs", by_pages},
    {0x9123'683E, "Btrfs", copying},
    {0xAAD7'AAEA, "PanFS"},
    {0xBACB'ACBC, "vmhgfs", by_pages},
    {0xBEEF'DEAD, "StorNext"},
    {0xCA45'1A4E, "bcachefs", copying},
    {0xFE53'4D42, "SMB2", by_pages},
    {0xFF53'4D42, "CIFS", by_pages},
}};

// nullptr if a file system is not among them.
constexpr UnsuitedFileSystem const* find_unsuited(std::uint32_t type) {
  for (UnsuitedFileSystem const& one : unsuited_file_systems)
    if (one.type == type) return &one;
  return nullptr;
}
// The file system of a directory, if it is among them. nullptr if it is unknown.
UnsuitedFileSystem const* find_unsuited(char const* directory);

// Whether several hosts can write into one file of a file system, each its own part.
constexpr bool keeps_parts(std::uint32_t type) {
  UnsuitedFileSystem const* const found = find_unsuited(type);
  return found == nullptr || found->why != by_pages;
}

// Where spool files may lie on a host, in the order of preference: $TMPDIR if it is an absolute path, /tmp, /var/tmp
// and /dev/shm. The reader looks for them there.
inline constexpr std::size_t most_node_directories = 4;
struct NodeDirectories {
  std::array<char const*, most_node_directories> paths{};
  std::size_t count = 0;

  char const* const* begin() const { return paths.data(); }
  char const* const* end() const { return paths.data() + count; }
};
NodeDirectories node_directories();

// Opens the private directory `name`, and makes it if it is missing: in `preferred`, or else in the first of
// node_directories() whose file system suits and that lets this user make one. path: its path. No descriptor, and an
// empty path, if there is none.
Descriptor open_on_node(std::string_view preferred, std::string_view name, char (&path)[PATH_MAX]);

}  // namespace spool

}  // namespace commprof
