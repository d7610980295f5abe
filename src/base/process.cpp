#include "base/process.hpp"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace commprof {

CommandLine::CommandLine() {
  int const file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    while (length_ < sizeof text_ - 1) {
      ssize_t const n = read(file, text_ + length_, sizeof text_ - 1 - length_);
      if (n <= 0) break;
      length_ += static_cast<std::size_t>(n);
    }
    close(file);
  }
  text_[length_] = '\0';
}

std::string_view CommandLine::program_name() { return program_invocation_short_name; }

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

namespace thread_queues {

namespace {

constexpr std::size_t most_threads = 256;

struct Before {
  int thread;
  std::uint64_t ns;
};
Before threads_before[most_threads];  // all other threads begin with 0
std::size_t count_before = 0;

// The file has "running waiting slices". A kernel that does not count them shows zeros, which cannot be true of a
// thread that has run.
std::optional<std::uint64_t> read_ns(int thread) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", thread);
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

// Not by opendir(), which allocates memory.
template <class Visit>
void for_each_thread(Visit&& visit) {
  int const directory = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  alignas(dirent64) char entries[4096];
  std::size_t visited = 0;
  for (long bytes = 1; visited < most_threads && bytes > 0;) {
    bytes = syscall(SYS_getdents64, directory, entries, sizeof entries);
    for (long at = 0; at < bytes && visited < most_threads;) {
      auto const* const entry = reinterpret_cast<dirent64 const*>(entries + at);
      at += entry->d_reclen;
      int const thread = std::atoi(entry->d_name);
      if (thread <= 0) continue;  // "." and ".."
      visit(thread);
      ++visited;
    }
  }
  close(directory);
}

}  // namespace

std::optional<std::uint64_t> time_ns(int thread) {
  auto const now_ns = read_ns(thread);
  Before const* const begin = threads_before;
  Before const* const end = begin + count_before;
  Before const* const before = std::find_if(begin, end, [&](Before const& one) { return one.thread == thread; });
  // A later thread may have the number of an earlier one.
  return now_ns && before != end && *now_ns >= before->ns ? *now_ns - before->ns : now_ns;
}

void begin() {
  count_before = 0;
  for_each_thread([](int thread) {
    if (auto const ns = read_ns(thread)) threads_before[count_before++] = {thread, *ns};
  });
}

std::optional<std::uint64_t> longest_ns(bool (*is_wanted)(int thread)) {
  std::optional<std::uint64_t> longest_ns;
  for_each_thread([&](int thread) {
    if (is_wanted(thread)) longest_ns = std::max(longest_ns, time_ns(thread));
  });
  return longest_ns;
}

}  // namespace thread_queues

}  // namespace commprof
