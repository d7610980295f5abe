// The time that threads of this process wait for a processor: they could run, but others do. The system forgets the
// time of a thread when it has ended.
#pragma once

#include <cstdint>
#include <optional>

namespace commprof::thread_queues {

// Starts the measurement.
void begin();
// Called by a thread that begins to work, or ends. Threads with one number follow each other, and their times add up.
void start_own(std::uint32_t number);
void keep_own(std::uint32_t number);
// The time since begin() of the thread, or the threads with one number, that waited longest, in nanoseconds. Looks at
// the first 256 living threads, and at threads with numbers below 256. Nothing if the kernel does not count it.
[[nodiscard]] std::optional<std::uint64_t> longest_ns();

}  // namespace commprof::thread_queues
