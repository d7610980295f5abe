#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "spool/layout.hpp"
#include "waiting/job.hpp"

namespace mpisee_through {

// The state of a process on this host, from /proc.
class LocalProcess {
 public:
  // The process that writes a spool file.
  LocalProcess(commprof::spool::Owner const& owner, std::filesystem::path const& file);

  // Unknown for a process on another host.
  [[nodiscard]] Life life() const { return life_; }
  // The program or library that contains the address, and the offset in it; empty if unknown.
  [[nodiscard]] CodePlace place_of(std::uint64_t address) const;

 private:
  struct Mapping {
    std::uint64_t begin = 0, end = 0, offset = 0, inode = 0;
    std::string path;
  };
  bool read_mappings(std::int32_t pid);

  Life life_ = Life::unknown;
  std::vector<Mapping> mappings_;
};

// Whether a process of this machine has the file open or mapped for writing, whatever its host's name and pid are, as
// in containers. False also if the file system does not say.
[[nodiscard]] bool is_written_to(std::filesystem::path const& file);

}  // namespace mpisee_through
