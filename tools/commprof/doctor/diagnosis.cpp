#include "doctor/diagnosis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "doctor/mpi_names.hpp"
#include "front/families.hpp"

namespace commprof_launcher {

namespace {

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

// Whether a library is an MPI or belongs to its bindings. Stand-ins and tools may have similar names (libmpiseq,
// libmpiP) but lack names of the profiling interface.
bool is_of_mpi(Library const& library) {
  if (!std::filesystem::path(library.path).filename().string().starts_with("libmpi")) return false;
  auto const is_profiling = [](std::string const& name) {
    return name.starts_with("PMPI_") || name.starts_with("pmpi_");
  };
  bool const defines_functions =
      std::ranges::any_of(library.file.exports, [](std::string const& name) { return name.starts_with("MPI_Init"); });
  return !defines_functions || std::ranges::any_of(library.file.exports, is_profiling);
}

bool is_profiler(Library const& library) { return library.file.exports.contains("commprof_version"); }

std::string first_names(std::vector<std::string> const& names) {
  constexpr std::size_t most = 5;
  std::vector<std::string> const shown(names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
  return fmt::format("{}{}", fmt::join(shown, ", "), names.size() > most ? " …" : "");
}

class Doctor {
 public:
  Doctor(Inspected const& program, Surroundings const& around) : program_(program), around_(around) {}

  Diagnosis diagnose() {
    tell_program();
    if (tell_obstacles()) return result_;
    find_mpis();
    tell_mpi();
    tell_calls();
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
    if (program_.is_shell)
      end(Verdict::perhaps,
          "it is a shell, which hands the profiler on to the programs of MPI that it starts: ask for one of these");
    else if (program_.is_python)
      end(Verdict::perhaps,
          "there is no mpi4py where this Python looks for modules; other modules that load an MPI are seen");
    else if (program_.file.imports.contains("dlopen"))
      end(Verdict::perhaps,
          "it is linked to no MPI, but opens libraries by dlopen(): if an MPI is among them, its calls are seen");
    else if (auto const opener = std::ranges::find_if(
                 program_.libraries, [](Library const& library) { return library.file.imports.contains("dlopen"); });
             opener != program_.libraries.end())  // as in Julia
      end(Verdict::perhaps,
          fmt::format("it is linked to no MPI, but {} opens libraries by dlopen(): if an MPI is among them, its calls "
                      "are seen",
                      opener->name));
    else end(Verdict::not_seen, "it is linked to no MPI");
  }

  void tell_launcher(Family const& family) {
    if (&family == &commprof::front::standard_abi) return;  // of any MPI
    if (around_.family_of_mpirun.empty() || around_.family_of_mpirun == family.name) return;
    add("Beware", fmt::format("{} belongs to another MPI ({}): under it, each process is a job of its own",
                              around_.mpirun, around_.family_of_mpirun));
  }

  void tell_calls() {
    tell_calls("the program", program_.file);
    if (program_.module_of_python) tell_calls("mpi4py", program_.module_of_python->file);
    for (Library const& library : program_.libraries)
      if (!is_of_mpi(library) && !is_profiler(library)) tell_calls(library.name, library.file);
    if (program_.file.imports.contains("dlmopen"))
      add("Not seen", "libraries that it opens in a namespace of their own, by dlmopen()");
  }

  void tell_calls(std::string_view who, ElfFile const& file) {
    MpiNames const calls = mpi_names(file, around_.front_file.exports);
    bool const is_seen = result_.verdict == Verdict::seen;
    if (is_seen && calls.c.size() + calls.fortran.size() > 0) {
      std::string text = fmt::format("{}: ", who);
      if (!calls.c.empty()) text += fmt::format("{} calls of C", calls.c.size());
      if (!calls.fortran.empty())
        text += fmt::format("{}{} of Fortran", calls.c.empty() ? "" : ", ", calls.fortran.size());
      add("Seen", text);
    }
    tell_defined(who, calls, &file == &program_.file);
    if (!calls.unknown.empty())
      add("Not seen", fmt::format("{}: {} (the profiler does not know them)", who, first_names(calls.unknown)));
    if (!calls.profiling.empty() && !calls.are_of_tool())
      add("Not seen", fmt::format("{}: {} (calls that bypass all profilers)", who, first_names(calls.profiling)));
  }

  // Reports functions of MPI that a file defines. Libraries come in the dynamic linker's search order: calls go to the
  // first one that defines a function.
  void tell_defined(std::string_view who, MpiNames const& calls, bool is_program) {
    std::vector<std::string> first, hidden;
    std::string hidden_by;
    for (std::string const& name : calls.defined) {
      auto const [other, is_first] = definers_.emplace(name, who);
      (is_first ? first : hidden).push_back(name);
      if (!is_first) hidden_by = other->second;
    }
    if (!hidden.empty())
      add("Beware", fmt::format("{}: {} (hidden by {}, which comes before it)", who, first_names(hidden), hidden_by));
    if (first.empty()) return;
    if (is_program || !calls.are_of_tool())
      add("Not seen", fmt::format("{}: {} (it defines these functions itself)", who, first_names(first)));
    else add("Handed on", fmt::format("{}: {} (a tool, to which the profiler forwards them)", who, first_names(first)));
  }

  Inspected const& program_;
  Surroundings const& around_;
  struct Mpi {
    Library const* library;
    Family const* family;
  };
  std::vector<Mpi> mpis_;
  std::map<std::string, std::string> definers_;  // by function of MPI: the first definer
  Diagnosis result_;
};

}  // namespace

Diagnosis diagnose(Inspected const& program, Surroundings const& around) { return Doctor(program, around).diagnose(); }

}  // namespace commprof_launcher
