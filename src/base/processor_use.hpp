// How much of the processors a process got, by the counters of the system.
#pragma once

#include <cstdint>
#include <optional>

namespace commprof {

// Times in nanoseconds. Of all threads of the process, except queued_ns.
struct ProcessorUse {
  std::uint64_t cpu_ns = 0;  // in user and kernel mode
  // During which the thread that called MPI_Init could run and waited for a processor. Nothing if the kernel does not
  // count it.
  std::optional<std::uint64_t> queued_ns{};
  std::uint64_t voluntary_switches = 0;    // it waited for something else than a processor
  std::uint64_t involuntary_switches = 0;  // another thread got the processor
  std::uint64_t minor_faults = 0;          // page faults without input or output
  std::uint64_t major_faults = 0;

  // What was used after an earlier reading.
  [[nodiscard]] ProcessorUse since(ProcessorUse const& earlier) const;
};

// Since the process began. Source: getrusage(2) and /proc/self/task/*/schedstat.
[[nodiscard]] ProcessorUse read_processor_use();

}  // namespace commprof
