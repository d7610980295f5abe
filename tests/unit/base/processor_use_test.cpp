#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <ctime>
#include <fstream>
#include <string>

#include "base/process.hpp"

using namespace commprof;

namespace {

constexpr std::uint64_t ms = 1'000'000;

void work_ms(std::uint64_t time_ms) {
  auto const used_ns = [] {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
  };
  for (std::uint64_t const end = used_ns() + time_ms * ms; used_ns() < end;) {
  }
}

}  // namespace

TEST_CASE("work takes processor time, and sleep gives the processor away") {
  ProcessorUse const begin = read_processor_use();
  work_ms(100);
  ProcessorUse const worked = read_processor_use();
  usleep(100'000);
  ProcessorUse const slept = read_processor_use();
  // The clocks that are compared advance in ticks of the system, at most 10 ms.
  CHECK(worked.since(begin).cpu_ns >= 80 * ms);
  CHECK(slept.since(worked).cpu_ns < 80 * ms);
  CHECK(slept.since(worked).voluntary_switches >= 1);
}

TEST_CASE("the time that the hypervisor takes is that of the system") {
  ProcessorUse use{}, later{};
  read_limits(use);
  std::ifstream file("/proc/stat");
  std::string cpu;
  std::array<std::uint64_t, 8> ticks{};
  file >> cpu;
  for (auto& one : ticks) file >> one;
  read_limits(later);
  REQUIRE(use.stolen_ns);
  auto const stolen_ns = ticks.back() * (1'000 * ms / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK))) /
                         static_cast<std::uint64_t>(sysconf(_SC_NPROCESSORS_ONLN));
  CHECK(*use.stolen_ns <= stolen_ns);
  CHECK(stolen_ns <= *later.stolen_ns);
  CHECK(later.since(use).stolen_ns == *later.stolen_ns - *use.stolen_ns);
}
