#pragma once

#include <filesystem>

#include "reader/profile_reader.hpp"

namespace mpisee_through {

// Reads run.json of a profile's directory. Throws ProfileError, also for a schema newer than ours.
Run read_run(std::filesystem::path const& directory);

}  // namespace mpisee_through
