#include "base/processor_use.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace commprof {
namespace {

std::uint64_t ns_of(timeval const& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_usec) * 1'000;
}

// Reads the times of the thread that first calls this, in MPI_Init (/proc/self/schedstat has those of the main thread).
// They are "running waiting slices"; returns the second one. A kernel that does not count them shows zeros, which
// cannot be true: this thread has run to read the file.
std::optional<std::uint64_t> read_queued_ns() {
  static long const thread = syscall(SYS_gettid);
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%ld/schedstat", thread);
  int const file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  char text[96];
  auto const length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return {};
  text[length] = '\0';
  char* rest = nullptr;
  std::uint64_t const running_ns = std::strtoull(text, &rest, 10);
  if (running_ns == 0 || *rest != ' ') return {};
  return std::strtoull(rest, nullptr, 10);
}

}  // namespace

ProcessorUse ProcessorUse::since(ProcessorUse const& earlier) const {
  ProcessorUse used{.cpu_ns = cpu_ns - earlier.cpu_ns,
                    .voluntary_switches = voluntary_switches - earlier.voluntary_switches,
                    .involuntary_switches = involuntary_switches - earlier.involuntary_switches,
                    .minor_faults = minor_faults - earlier.minor_faults,
                    .major_faults = major_faults - earlier.major_faults};
  if (queued_ns && earlier.queued_ns) used.queued_ns = *queued_ns - *earlier.queued_ns;
  return used;
}

ProcessorUse read_processor_use() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {.cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime),
          .queued_ns = read_queued_ns(),
          .voluntary_switches = static_cast<std::uint64_t>(usage.ru_nvcsw),
          .involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw),
          .minor_faults = static_cast<std::uint64_t>(usage.ru_minflt),
          .major_faults = static_cast<std::uint64_t>(usage.ru_majflt)};
}

}  // namespace commprof
