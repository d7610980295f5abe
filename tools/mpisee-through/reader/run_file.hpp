#pragma once

#include "reader/profile_reader.hpp"

namespace mpisee_through {

// Reads run.json. Throws ProfileError, also if its schema is newer than ours.
Run read_run(FileToRead const& run_json);

}  // namespace mpisee_through
