// Facts about this process: its command line, its place in the run, the processor time and memory that it used.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string_view>

#include "base/clock.hpp"

namespace commprof {

// The command line of this process, from the system.
class CommandLine {
 public:
  // Reads the command line; cuts it off after 64 KiB.
  CommandLine();

  // Calls visit(argument) for the program and each argument, in order.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (std::size_t first = 0; first < length_;) {
      std::string_view const argument(text_ + first);
      visit(argument);
      first += argument.size() + 1;
    }
  }

  // The file name of the program.
  static std::string_view program_name();

 private:
  char text_[64 * 1024 + 1];
  std::size_t length_ = 0;
};

// Facts about the run that a process knows from its start.
struct RunFacts {
  int rank = 0;  // in MPI_COMM_WORLD
  int ranks = 1;
  int pid = 0;
  bool was_spawned = false;
  timespec start_time{};  // of day
  Ticks start;
  char start_directory[PATH_MAX] = "";
  char host[256] = "";
};

// The processor time, the memory and related counters of a process, from the system.
// Times are in nanoseconds. Counts are sums over the threads of the process.
struct ProcessorUse {
  std::uint64_t cpu_ns = 0;  // in user and kernel mode
  // The longest time in which a thread could run but waited for a processor (thread_queues). Nothing if the kernel
  // does not count it.
  std::optional<std::uint64_t> queued_ns{};
  std::optional<std::uint64_t> queued_outside_ns{};  // likewise, outside MPI
  std::uint64_t voluntary_switches = 0;              // times that a thread waited for something other than a processor
  std::uint64_t involuntary_switches = 0;            // times that another thread got the processor
  std::uint64_t max_rss_bytes = 0;                   // the most memory that was resident since the process began
  // How long a limit of processor time has stopped processes of the cgroup, summed over processors; and how long the
  // hypervisor has taken each processor of the host, on average. Nothing if the system does not count it.
  std::optional<std::uint64_t> throttled_ns{}, stolen_ns{};

  // The difference to an earlier reading, without the times of queues; the memory is that of the later one.
  [[nodiscard]] ProcessorUse since(ProcessorUse const& earlier) const;
};

// The values since the process began, from getrusage(2), without the times of queues.
[[nodiscard]] ProcessorUse read_processor_use();

// Sets throttled_ns and stolen_ns, since some moment. Reads files that take a millisecond on a host with many
// processors.
void read_limits(ProcessorUse& use);

// The time that threads of this process wait for a processor: they could run, but others do. The system forgets the
// time of a thread when it has ended.
namespace thread_queues {

// Starts the measurement.
void begin();
// The time since begin() of a living thread, in nanoseconds. Nothing if the kernel does not count it.
[[nodiscard]] std::optional<std::uint64_t> time_ns(int thread);
// That of the living thread that waited longest, of those that are wanted. Looks at the first 256.
[[nodiscard]] std::optional<std::uint64_t> longest_ns(bool (*is_wanted)(int thread) = [](int) { return true; });

}  // namespace thread_queues

}  // namespace commprof
