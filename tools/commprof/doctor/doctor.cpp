#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "doctor/inspected.hpp"
#include "front/families.hpp"
#include "launch/launchers.hpp"
#include "launch/options.hpp"
#include "launch/run.hpp"

namespace commprof_launcher {

namespace fs = std::filesystem;

namespace {

enum class Verdict { seen, perhaps, not_seen };

struct Diagnosis {
  Verdict verdict = Verdict::seen;
  std::string summary;  // the verdict in a sentence
  struct Line {
    std::string what, text;
  };
  std::vector<Line> lines;
};

struct Surroundings {
  std::string front;  // the path of libcommprof.so
  ElfFile front_file;
  std::vector<std::string> flavours;  // names of the flavours beside the front
  std::string mpirun;                 // path of the mpirun that the shell would run; empty if there is none
  std::string family_of_mpirun;       // "openmpi", "mpich" or empty
};

using commprof::front::characteristic_of_mpi;
using commprof::front::Family;

bool is_needed_by(ElfFile const& file, Library const& library) {
  return std::ranges::find(file.needed, library.name) != file.needed.end();
}

// libraries: those that are loaded with the MPI. Open MPI 6 has its own symbols in libopen_mpi, a dependency of libmpi.
Family const* family_of(ElfFile const& mpi, std::vector<Library> const& libraries) {
  return commprof::front::family_by(mpi.soname, [&](char const* symbol) {
    return mpi.exports.contains(symbol) || std::ranges::any_of(libraries, [&](Library const& part) {
             return is_needed_by(mpi, part) && part.file.exports.contains(symbol) &&
                    !part.file.exports.contains(characteristic_of_mpi);
           });
  });
}

std::string flavour_for(Library const& mpi, Family const& family) {
  long const number = commprof::front::abi_number(mpi.file.soname);
  return number < 0 ? "" : fmt::format("{}-{}", family.name, number);
}

class Doctor {
 public:
  Doctor(Inspected program, Surroundings const& around) : program_(std::move(program)), around_(around) {}

  Diagnosis diagnose() {
    tell_program();
    if (tell_obstacles()) return result_;
    find_mpis();
    tell_mpi();
    return result_;
  }

 private:
  void add(std::string what, std::string text) { result_.lines.push_back({std::move(what), std::move(text)}); }
  bool end(Verdict verdict, std::string summary) {
    result_.verdict = verdict;
    result_.summary = std::move(summary);
    return true;
  }

  void tell_program() {
    for (std::string const& script : program_.scripts) add("Script", script);
    char const* const linking = !program_.file.interpreter.empty() ? "dynamically" : "statically";
    add("Program", fmt::format("{}, {}, linked {}", program_.path, machine_name(program_.file), linking));
    add("Profiler", around_.front);
  }

  // Reports what prevents the dynamic linker from preloading. Returns true if there is an obstacle.
  bool tell_obstacles() {
    ElfFile const& file = program_.file;
    if (file.exports.contains("commprof_version") && file.interpreter.empty())
      return end(Verdict::seen, "the profiler is linked into it");
    if (file.interpreter.empty())
      return end(
          Verdict::not_seen,
          "it is linked statically: nothing can be preloaded. Link the profiler into it: docs/api.md, \"Linking\"");
    if (program_.gains_rights)
      return end(Verdict::not_seen,
                 "it is setuid, setgid or has capabilities: the dynamic linker preloads nothing into it");
    if (file.machine != around_.front_file.machine || file.is_64_bit != around_.front_file.is_64_bit)
      return end(Verdict::not_seen, fmt::format("it is a program for {}, the profiler is one for {}",
                                                machine_name(file), machine_name(around_.front_file)));
    if (file.interpreter.find("musl") != file.interpreter.npos)
      return end(Verdict::not_seen, "it runs with musl, the profiler with glibc");
    for (Library const& library : program_.libraries)
      if (library.path.empty())
        return end(Verdict::not_seen,
                   fmt::format("it does not start here: the dynamic linker does not find {}", library.name));
    return false;
  }

  void find_mpis() {
    for (Library const& library : program_.libraries)
      if (Family const* const family = family_of(library.file, program_.libraries);
          library.file.exports.contains(characteristic_of_mpi) && family != nullptr)
        mpis_.push_back({&library, family});
  }

  void tell_mpi() {
    for (Mpi const& mpi : mpis_) add("MPI", mpi.library->path);
    if (program_.file.exports.contains(characteristic_of_mpi)) {
      end(Verdict::not_seen,
          "MPI is linked into it statically: link the profiler into it, too: docs/api.md, \"Linking\"");
    } else if (mpis_.empty()) {
      tell_no_mpi();
    } else if (std::string const flavour = flavour_for(*mpis_.front().library, *mpis_.front().family);
               std::ranges::find(around_.flavours, flavour) == around_.flavours.end()) {
      end(Verdict::not_seen,
          fmt::format("there is no flavour {} of the profiler; there are {}. Build it with this MPI's "
                      "compiler: -DCOMMPROF_MPIS=/path/to/mpicxx",
                      flavour, fmt::join(around_.flavours, ", ")));
    } else {
      add("Flavour", flavour);
      end(Verdict::seen, "its calls of MPI are seen");
      tell_launcher(*mpis_.front().family);
    }
  }

  void tell_no_mpi() {
    auto const opens = [](ElfFile const& file) { return file.imports.contains("dlopen"); };
    auto const library = std::ranges::find_if(program_.libraries, opens, &Library::file);  // as in Julia
    if (program_.is_shell)
      end(Verdict::perhaps,
          "it is a shell, which hands the profiler on to the programs of MPI that it starts: ask for one of these");
    else if (program_.is_python)
      end(Verdict::perhaps,
          "there is no mpi4py where this Python looks for modules; other modules that load an MPI are seen");
    else if (opens(program_.file) || library != program_.libraries.end())
      end(Verdict::perhaps,
          fmt::format("it is linked to no MPI, but {} opens libraries by dlopen(): if an MPI is among "
                      "them, its calls are seen",
                      opens(program_.file) ? "it" : library->name));
    else end(Verdict::not_seen, "it is linked to no MPI");
  }

  void tell_launcher(Family const& family) {
    if (&family == &commprof::front::standard_abi) return;  // of any MPI
    if (around_.family_of_mpirun.empty() || around_.family_of_mpirun == family.name) return;
    add("Beware", fmt::format("{} belongs to another MPI ({}): under it, each process is a job of its own",
                              around_.mpirun, around_.family_of_mpirun));
  }

  Inspected const program_;
  Surroundings const& around_;
  struct Mpi {
    Library const* library;
    Family const* family;
  };
  std::vector<Mpi> mpis_;
  Diagnosis result_;
};

constexpr char description[] =
    "Says whether the profiler would see the calls of a program, and why not, without running it:\n"
    "which MPI it uses, which flavour of the profiler fits, how it is linked.\n"
    "\n"
    "  commprof doctor ./solver\n"
    "  commprof doctor mpirun -n 4 python3 solve.py     also whether mpirun fits\n";

constexpr int exit_not_seen = 1;

// mpirun: the launcher to look at.
Surroundings surroundings(std::string const& mpirun) {
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
  around.mpirun = find_executable(mpirun);
  if (around.mpirun.empty()) return around;
  Launcher const kind = launcher_of_version(output_of({around.mpirun, "--version"}));
  around.family_of_mpirun = kind == Launcher::open_mpi ? "openmpi" : kind == Launcher::hydra ? "mpich" : "";
  return around;
}

// The programs that a command runs.
std::vector<std::string> programs_of(std::vector<std::string> const& words, FoundLauncher launcher) {
  if (launcher.kind == Launcher::none) return {words[place_of_program(words)]};
  std::vector<std::string> programs;
  for (ProgramLine const& line : parse_job_line(words, launcher).programs)
    if (!line.program.empty()) programs.push_back(line.program[place_of_program(line.program)]);
  if (programs.empty()) throw std::runtime_error(fmt::format("{} is given no program", words[launcher.at]));
  return programs;
}

}  // namespace

int run_doctor(int argc, char** argv) {
  CLI::App app(description, "commprof doctor");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.prefix_command();
  app.formatter(std::make_shared<CommandFormatter>("Usage: commprof doctor [LAUNCHER …] PROGRAM [ARGUMENTS]\n"));
  std::vector<std::string> words;
  if (auto const exit_code = parse_command(app, argc, argv, "no program to look at", words)) return *exit_code;
  FoundLauncher const launcher = find_launcher(words);
  Surroundings const around = surroundings(launcher.kind == Launcher::none ? "mpirun" : words[launcher.at]);
  bool is_seen = true;
  for (std::string const& program : programs_of(words, launcher)) {
    Diagnosis const diagnosis = Doctor(inspect(program), around).diagnose();
    fmt::print("{}: {}\n", program, diagnosis.summary);
    for (auto const& [what, text] : diagnosis.lines) fmt::print("  {:<9} {}\n", what, text);
    is_seen = is_seen && diagnosis.verdict != Verdict::not_seen;
  }
  return is_seen ? EXIT_SUCCESS : exit_not_seen;
}

}  // namespace commprof_launcher
