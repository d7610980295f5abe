// The time that threads of this process wait for a processor: they could run, but others do. The system forgets the
// time of a thread when it has ended.
#pragma once

#include <cstdint>
#include <optional>

namespace commprof::thread_queues {

// Starts the measurement.
void begin();
// Called by a thread that ends.
void keep_own();
// The time since begin() of the thread that waited longest, in nanoseconds. Looks at living threads, the first 256 of
// them, and those that have called keep_own(). Nothing if the kernel does not count it.
[[nodiscard]] std::optional<std::uint64_t> longest_ns();

}  // namespace commprof::thread_queues
