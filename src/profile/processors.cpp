#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <tuple>

#include "base/file.hpp"
#include "comm_naming/comm_name.hpp"
#include "profile/profile.hpp"

namespace commprof {
namespace {

constexpr int max_cpus = 8192, max_domains = 1024;
constexpr char separator = '\t';
constexpr std::string_view cpu_directory = "/sys/devices/system/cpu", node_directory = "/sys/devices/system/node";

// Calls visit(number) for each number below `bound` in a file such as "0-3,8". False if the file cannot be read.
template <class Visitor>
bool for_each_in_file(char const* path, int bound, Visitor&& visit) {
  static char text[4096];
  if (read_small_file(path, text).empty()) return false;
  for (char* at = text; *at >= '0' && *at <= '9';) {
    long const first = std::strtol(at, &at, 10);
    long const last = *at == '-' ? std::strtol(at + 1, &at, 10) : first;
    for (long number = first; number <= std::min(last, bound - 1L); ++number) visit(static_cast<int>(number));
    if (*at == ',') ++at;
  }
  return true;
}

// The processors of the host. Reads the system's files once.
class Host {
 public:
  // Numbers plus one; 0 if unknown.
  struct Place {
    std::uint16_t package, numa, core;
  };

  Place const& operator[](int cpu) {
    if (!is_read_) read();
    return places_[cpu];
  }

 private:
  static char const* path_of(std::string_view directory, char const* kind, int number, char const* file) {
    static char path[128];
    std::snprintf(path, sizeof path, "%.*s/%s%d/%s", static_cast<int>(directory.size()), directory.data(), kind, number,
                  file);
    return path;
  }

  void read() {
    is_read_ = true;
    for_each_in_file("/sys/devices/system/node/online", max_domains, [&](int domain) { domains_[domain] = true; });
    for (int domain = 0; domain < max_domains; ++domain) {
      if (!domains_[domain]) continue;
      for_each_in_file(path_of(node_directory, "node", domain, "cpulist"), max_cpus,
                       [&](int cpu) { places_[cpu].numa = static_cast<std::uint16_t>(domain + 1); });
    }
    for_each_in_file("/sys/devices/system/cpu/online", max_cpus, [&](int cpu) {
      is_online_[cpu] = true;
      cpus_ = cpu + 1;
    });
    for (int cpu = 0; cpu < cpus_; ++cpu)
      if (is_online_[cpu]) read_processor(cpu);
    number_cores();
  }

  // Reads the place of a processor, and applies what holds for its whole package or core to the processors that share
  // it.
  void read_processor(int cpu) {
    Place& place = places_[cpu];
    if (place.package == 0) {
      for_each_in_file(path_of(cpu_directory, "cpu", cpu, "topology/physical_package_id"), UINT16_MAX,
                       [&](int package) { place.package = static_cast<std::uint16_t>(package + 1); });
      for_each_in_file(path_of(cpu_directory, "cpu", cpu, "topology/core_siblings_list"), max_cpus,
                       [&](int sibling) { places_[sibling].package = place.package; });
    }
    if (place.core != 0) return;
    auto const core = static_cast<std::uint16_t>(cores_ + 1);
    bool const is_known = for_each_in_file(path_of(cpu_directory, "cpu", cpu, "topology/thread_siblings_list"),
                                           max_cpus, [&](int sibling) { places_[sibling].core = core; });
    if (is_known) first_cpus_[cores_++] = static_cast<std::uint16_t>(cpu);
  }

  // Numbers the cores in the order of package, domain and first processor.
  void number_cores() {
    static std::uint16_t by_place[max_cpus], number_of[max_cpus];
    for (int core = 0; core < cores_; ++core) by_place[core] = static_cast<std::uint16_t>(core);
    std::sort(by_place, by_place + cores_, [&](int a, int b) {
      auto const key = [&](int core) {
        Place const& place = places_[first_cpus_[core]];
        return std::tuple(place.package, place.numa, first_cpus_[core]);
      };
      return key(a) < key(b);
    });
    for (int number = 0; number < cores_; ++number) number_of[by_place[number]] = static_cast<std::uint16_t>(number);
    for (int cpu = 0; cpu < cpus_; ++cpu)
      if (std::uint16_t& core = places_[cpu].core; core != 0)
        core = static_cast<std::uint16_t>(number_of[core - 1] + 1);
  }

  bool is_read_ = false;
  bool domains_[max_domains]{};
  bool is_online_[max_cpus]{};
  Place places_[max_cpus]{};
  std::uint16_t first_cpus_[max_cpus]{};  // lowest processor of each core
  int cpus_ = 0, cores_ = 0;
};

Host host;

// Appends the numbers of one kind (package, domain or core) of these processors.
void append_numbers(PageVector<char>& text, int const* cpus, std::size_t count, std::uint16_t Host::Place::*kind) {
  static int numbers[max_cpus];
  std::size_t known = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (int const number = host[cpus[i]].*kind; number != 0) numbers[known++] = number - 1;
  std::sort(numbers, numbers + known);
  append_rank_ranges(text, numbers, static_cast<std::size_t>(std::unique(numbers, numbers + known) - numbers));
}

}  // namespace

void append_processors(PageVector<char>& text) {
  static unsigned char mask[CPU_ALLOC_SIZE(max_cpus)];
  static int cpus[max_cpus];
  auto* const set = reinterpret_cast<cpu_set_t*>(mask);
  CPU_ZERO_S(sizeof mask, set);
  std::size_t count = 0;
  if (sched_getaffinity(0, sizeof mask, set) == 0)
    for (int cpu = 0; cpu < max_cpus; ++cpu)
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), sizeof mask, set)) cpus[count++] = cpu;
  append_rank_ranges(text, cpus, count);
  for (auto const kind : {&Host::Place::package, &Host::Place::numa, &Host::Place::core}) {
    append(text, {&separator, 1});
    append_numbers(text, cpus, count, kind);
  }
}

std::string_view part_of(std::string_view processors, Processors which) {
  for (auto before = static_cast<int>(which); before > 0; --before)
    processors.remove_prefix(std::min(processors.find(separator), processors.size() - 1) + 1);
  return processors.substr(0, processors.find(separator));
}

}  // namespace commprof
