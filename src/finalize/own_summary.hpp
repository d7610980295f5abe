// What a process adds to the summary of a run.
#pragma once

#include "finalize/contents.hpp"
#include "profile/profile.hpp"

namespace commprof {

RunSummary summary_of(Contents const& contents, OwnPairs const& pairs);

}  // namespace commprof
