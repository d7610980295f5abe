// Runs MPI jobs with the profiler (launch), and says what it would see of a program (doctor).
#include <fmt/format.h>

#include <exception>
#include <string_view>

#include "launch/run.hpp"

int main(int argc, char** argv) try {
  std::string_view const first = argc > 1 ? argv[1] : "";
  if (first == "doctor") return commprof_launcher::run_doctor(argc - 1, argv + 1);
  return commprof_launcher::run(argc, argv);
} catch (std::exception const& error) {
  fmt::print(stderr, "commprof: {}\n", error.what());
  return 1;
}
