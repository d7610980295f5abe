// Directories on the host itself, for spool files that would burden a file system that several hosts share.
#pragma once

#include <array>
#include <climits>
#include <cstdint>
#include <string_view>

#include "spool/private_directory.hpp"

namespace commprof::spool {

// A file system on a server, by f_type of statfs().
struct SharedFileSystem {
  std::uint32_t type;
  std::string_view name;
  bool writes_pages = false;  // its hosts write whole pages, so what two hosts write into one file may be lost
};

// Network and parallel file systems, and those through which a virtual machine reaches its host's files. FUSE is
// included, because on clusters it mostly mounts remote file systems.
inline constexpr std::array<SharedFileSystem, 25> shared_file_systems{{
    {0x0000'517B, "SMB", true},    {0x0000'564C, "NCP", true},    {0x0000'6969, "NFS", true},
    {0x00C3'6400, "Ceph"},         {0x0102'1997, "9p", true},     {0x0116'1970, "GFS2"},
    {0x0131'11A8, "IBRIX"},        {0x0BD0'0BD0, "Lustre"},       {0x1803'1977, "WekaFS"},
    {0x1983'0326, "BeeGFS"},       {0x2003'0528, "OrangeFS"},     {0x4750'4653, "GPFS"},
    {0x5346'414F, "AFS", true},    {0x6163'6673, "ACFS"},         {0x6573'5546, "FUSE", true},
    {0x6B41'4653, "kAFS", true},   {0x7375'7245, "Coda", true},   {0x7461'636F, "OCFS2"},
    {0x786F'4256, "vboxsf", true}, {0x7C7C'6673, "prl_fs", true}, {0xAAD7'AAEA, "PanFS"},
    {0xBACB'ACBC, "vmhgfs", true}, {0xBEEF'DEAD, "StorNext"},     {0xFE53'4D42, "SMB2", true},
    {0xFF53'4D42, "CIFS", true},
}};

constexpr bool is_shared(std::uint32_t type) {
  for (SharedFileSystem const& one : shared_file_systems)
    if (one.type == type) return true;
  return false;
}

// Whether several hosts can write into one file of a file system, each its own part.
constexpr bool keeps_parts(std::uint32_t type) {
  for (SharedFileSystem const& one : shared_file_systems)
    if (one.type == type) return !one.writes_pages;
  return true;
}

// Whether a directory is on a shared file system. False if that is unknown.
bool is_on_shared(char const* directory);

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
// node_directories() that is on this host alone and lets this user make one. path: its path. No descriptor, and an
// empty path, if there is none.
Descriptor open_on_node(std::string_view preferred, std::string_view name, char (&path)[PATH_MAX]);

}  // namespace commprof::spool
