#include "base/processor_use.hpp"

#include <sys/resource.h>

namespace commprof {
namespace {

std::uint64_t ns_of(timeval const& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_usec) * 1'000;
}

}  // namespace

ProcessorUse ProcessorUse::since(ProcessorUse const& earlier) const {
  return {.cpu_ns = cpu_ns - earlier.cpu_ns,
          .voluntary_switches = voluntary_switches - earlier.voluntary_switches,
          .involuntary_switches = involuntary_switches - earlier.involuntary_switches,
          .minor_faults = minor_faults - earlier.minor_faults,
          .major_faults = major_faults - earlier.major_faults,
          .max_rss_bytes = max_rss_bytes};
}

ProcessorUse read_processor_use() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {.cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime),
          .voluntary_switches = static_cast<std::uint64_t>(usage.ru_nvcsw),
          .involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw),
          .minor_faults = static_cast<std::uint64_t>(usage.ru_minflt),
          .major_faults = static_cast<std::uint64_t>(usage.ru_majflt),
          .max_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

}  // namespace commprof
