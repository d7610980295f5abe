// Counts the calls that a process was in when it ended, and its time until then.
#pragma once

#include <cstdint>
#include <optional>

#include "recovery/spool_file.hpp"
#include "waiting/job.hpp"

namespace mpisee_through {

// The communicator of a current call, from its handle; nothing if it is unknown.
[[nodiscard]] std::optional<commprof::CommIndex> communicator_of(SpoolFile const& file, std::uint64_t given);

// Extends the file to the end of its process, and adds a record for each call that had not ended. Returns their time.
commprof::Ticks count_unfinished_calls(SpoolFile& file, ProcessState const& process);

}  // namespace mpisee_through
