#include <sched.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "profile/profile.hpp"

using namespace commprof;

namespace {

std::string line_of_processor(int cpu, std::string const& file) {
  std::ifstream in("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/" + file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string processors_of_test() {
  PageVector<char> text;
  append_processors(text);
  return {text.begin(), text.size()};
}

}  // namespace

TEST_CASE("a process on one processor is on one core") {
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  int last = -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &before)) last = cpu;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  std::string const text = processors_of_test();
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
  auto const processors = [&](Processors which) { return part_of(text, which); };
  CHECK(processors(Processors::cpus) == std::to_string(last));
  CHECK(processors(Processors::package) == line_of_processor(last, "physical_package_id"));
  bool const is_known = !line_of_processor(last, "thread_siblings_list").empty();
  CHECK(processors(Processors::core).empty() == !is_known);
  CHECK(processors(Processors::core).find_first_of(",-") == std::string_view::npos);
}
