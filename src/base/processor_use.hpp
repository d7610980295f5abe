// The processor time, the memory and related counters of a process, from the system.
#pragma once

#include <cstdint>
#include <optional>

namespace commprof {

// Times are in nanoseconds. Counts are sums over the threads of the process.
struct ProcessorUse {
  std::uint64_t cpu_ns = 0;  // in user and kernel mode
  // The longest time in which a thread could run but waited for a processor (thread_queues.hpp). Nothing if the kernel
  // does not count it.
  std::optional<std::uint64_t> queued_ns{};
  std::uint64_t voluntary_switches = 0;    // times that a thread waited for something other than a processor
  std::uint64_t involuntary_switches = 0;  // times that another thread got the processor
  std::uint64_t minor_faults = 0;          // page faults without input or output
  std::uint64_t major_faults = 0;
  std::uint64_t max_rss_bytes = 0;  // the most memory that was resident since the process began

  // The difference to an earlier reading, without queued_ns; the memory is that of the later one.
  [[nodiscard]] ProcessorUse since(ProcessorUse const& earlier) const;
};

// The values since the process began, from getrusage(2), without queued_ns.
[[nodiscard]] ProcessorUse read_processor_use();

}  // namespace commprof
