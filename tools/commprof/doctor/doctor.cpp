#include "doctor/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "doctor/diagnosis.hpp"
#include "launch/arguments.hpp"
#include "launch/install_paths.hpp"
#include "launch/launchers.hpp"

namespace commprof_launcher {

namespace fs = std::filesystem;

namespace {

constexpr char description[] =
    "Says what the profiler would see of a program, and why not the rest, without running it: which\n"
    "MPI it uses, which flavour of the profiler fits, how it is linked, which calls are known.\n";

constexpr int exit_not_seen = 1;

Surroundings surroundings() {
  Surroundings around;
  around.front = library_path();
  auto front = read_elf(around.front);
  if (!front) throw std::runtime_error(fmt::format("{} is no library", around.front));
  around.front_file = std::move(*front);
  std::error_code error;
  fs::path const flavours = fs::canonical(around.front, error).parent_path() / "commprof";
  for (fs::directory_entry const& entry : fs::directory_iterator(flavours, error))
    if (entry.path().extension() == ".so") around.flavours.push_back(entry.path().stem().string());
  std::ranges::sort(around.flavours);
  around.mpirun = find_executable("mpirun");
  if (around.mpirun.empty()) return around;
  switch (launcher_of_version(output_of({around.mpirun, "--version"}))) {
    case Launcher::open_mpi:
      around.family_of_mpirun = "openmpi";
      break;
    case Launcher::hydra:
      around.family_of_mpirun = "mpich";
      break;
    default:
      break;
  }
  return around;
}

}  // namespace

DoctorOptions::DoctorOptions() : app(description, "commprof doctor") {
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.get_formatter()->column_width(24);
  app.get_formatter()->label("REQUIRED", "");
  app.add_option("PROGRAM", program, "A program or script, found as the shell finds it")->required()->type_name("");
}

int run_doctor(int argc, char** argv) {
  DoctorOptions options;
  if (auto const exit_code = parse(options.app, argc, argv)) return *exit_code;
  Diagnosis const diagnosis = diagnose(inspect(options.program), surroundings());
  fmt::print("{}: {}\n", options.program, diagnosis.summary);
  for (auto const& [what, text] : diagnosis.lines) fmt::print("  {:<9} {}\n", what, text);
  return diagnosis.verdict == Verdict::not_seen ? exit_not_seen : EXIT_SUCCESS;
}

}  // namespace commprof_launcher
