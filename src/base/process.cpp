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
#include <string_view>

#include "base/file.hpp"

namespace commprof {

CommandLine::CommandLine() { length_ = read_small_file("/proc/self/cmdline", text_).size(); }

std::string_view CommandLine::program_name() { return program_invocation_short_name; }

namespace {

// The number after a word in a text.
std::optional<std::uint64_t> number_after(std::string_view word, std::string_view text) {
  auto const place = text.find(word);
  if (place == text.npos) return {};
  return std::strtoull(text.data() + place + word.size(), nullptr, 10);
}

// Any group above that of the process may have the limit.
std::optional<std::uint64_t> read_throttled_ns() {
  char groups[2048], path[2048 + 64], text[1024];
  std::string_view const all = read_small_file("/proc/self/cgroup", groups);
  std::optional<std::uint64_t> longest_ns;
  for (std::size_t line = 0; line < all.size(); line = std::min(all.find('\n', line), all.size()) + 1) {
    std::string_view const entry = all.substr(line, all.find('\n', line) - line);  // 0::/a/b, 4:cpu,cpuacct:/a/b
    std::size_t const names = entry.find(':') + 1, after = entry.find(':', names);
    if (names == 0 || after == entry.npos) continue;
    std::string_view const controllers = entry.substr(names, after - names);
    if (!controllers.empty() && controllers.find("cpu") == controllers.npos) continue;
    for (std::string_view group = entry.substr(after + 1); !group.empty();
         group = group.substr(0, group.size() > 1 ? std::max<std::size_t>(group.rfind('/'), 1) : 0)) {
      std::snprintf(path, sizeof path, "/sys/fs/cgroup/%.*s%.*s/cpu.stat", static_cast<int>(controllers.size()),
                    controllers.data(), static_cast<int>(group.size()), group.data());
      std::string_view const counts = read_small_file(path, text);
      auto ns = number_after("throttled_time ", counts);
      if (auto const us = number_after("throttled_usec ", counts)) ns = *us * 1000;
      longest_ns = std::max(longest_ns, ns);
    }
  }
  return longest_ns;
}

// The eighth number of the first line, in ticks.
std::optional<std::uint64_t> read_stolen_ns() {
  char text[512];
  std::string_view const all = read_small_file("/proc/stat", text);
  if (all.substr(0, 4) != "cpu ") return {};
  char* number = text + 4;
  std::uint64_t ticks = 0;
  for (int i = 0; i < 8; ++i) ticks = std::strtoull(number, &number, 10);
  auto const hz = static_cast<std::uint64_t>(std::max(sysconf(_SC_CLK_TCK), 1L));
  return ticks * 1'000'000'000 / hz / static_cast<std::uint64_t>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
}

std::optional<std::uint64_t> difference(std::optional<std::uint64_t> later, std::optional<std::uint64_t> earlier) {
  return later && earlier ? std::optional(*later - std::min(*later, *earlier)) : std::nullopt;
}

std::uint64_t ns_of(timeval const& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_usec) * 1'000;
}

}  // namespace

ProcessorUse ProcessorUse::since(ProcessorUse const& earlier) const {
  return {.cpu_ns = cpu_ns - earlier.cpu_ns,
          .voluntary_switches = voluntary_switches - earlier.voluntary_switches,
          .involuntary_switches = involuntary_switches - earlier.involuntary_switches,
          .max_rss_bytes = max_rss_bytes,
          .throttled_ns = difference(throttled_ns, earlier.throttled_ns),
          .stolen_ns = difference(stolen_ns, earlier.stolen_ns)};
}

ProcessorUse read_processor_use() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {.cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime),
          .voluntary_switches = static_cast<std::uint64_t>(usage.ru_nvcsw),
          .involuntary_switches = static_cast<std::uint64_t>(usage.ru_nivcsw),
          .max_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

void read_limits(ProcessorUse& use) {
  use.throttled_ns = read_throttled_ns();
  use.stolen_ns = read_stolen_ns();
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
  char text[96];
  if (read_small_file(path, text).empty()) return {};
  char* rest = nullptr;
  std::uint64_t const running_ns = std::strtoull(text, &rest, 10);
  if (running_ns == 0 || *rest != ' ') return {};
  return std::strtoull(rest, nullptr, 10);
}

// Not by opendir(), which allocates memory.
template <class Visit>
void for_each_thread(Visit&& visit) {
  Descriptor const directory(open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  alignas(dirent64) char entries[4096];
  std::size_t visited = 0;
  for (long bytes = 1; visited < most_threads && bytes > 0;) {
    bytes = syscall(SYS_getdents64, directory.get(), entries, sizeof entries);
    for (long at = 0; at < bytes && visited < most_threads;) {
      auto const* const entry = reinterpret_cast<dirent64 const*>(entries + at);
      at += entry->d_reclen;
      int const thread = std::atoi(entry->d_name);
      if (thread <= 0) continue;  // "." and ".."
      visit(thread);
      ++visited;
    }
  }
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
