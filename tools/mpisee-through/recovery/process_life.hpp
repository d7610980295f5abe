#pragma once

#include <filesystem>

#include "spool/layout.hpp"
#include "waiting/job.hpp"

namespace mpisee_through {

// Whether the process that writes a spool file runs on this host, from /proc. Unknown for a process on another host.
[[nodiscard]] Life life_of(commprof::spool::Owner const& owner, std::filesystem::path const& file);

// Whether a process of this machine has the file open or mapped for writing, whatever its host's name and pid are, as
// in containers. False also if the file system does not say.
[[nodiscard]] bool is_written_to(std::filesystem::path const& file);

}  // namespace mpisee_through
