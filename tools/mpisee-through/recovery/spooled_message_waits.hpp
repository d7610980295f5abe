#pragma once

#include <cstdint>
#include <memory>

#include "comm_naming/registry.hpp"
#include "message_waits/message_waits.hpp"
#include "recovery/spool_segments.hpp"
#include "sites/sites.hpp"

namespace mpisee_through {

// What a process knew of the waiting for messages; nullptr if it did not measure that, was killed while it rewrote what
// it keeps, or the parts are damaged. damaged: counts damaged places.
[[nodiscard]] std::unique_ptr<commprof::MessageWaits> read_message_waits(SpoolSegments const& segments,
                                                                         commprof::Registry const& registry,
                                                                         commprof::Sites const& sites,
                                                                         std::uint64_t& damaged);

}  // namespace mpisee_through
