#include <dlfcn.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "front/front.hpp"

namespace commprof::front {

namespace {

// A flavour of this build, and the library of MPI that it was built with.
struct Built {
  char const* flavour;
  char const* library;
};
constexpr Built built[] = {
#define FLAVOUR(name, library) {name, library},
#include "flavour_list.inc"
#undef FLAVOUR
};

// Open MPI 6 has its own symbols in libopen_mpi, a dependency of libmpi.
bool is_of_family(LoadedObject const& mpi, char const* symbol) {
  void* const found = mpi.find(symbol);
  if (found == nullptr || mpi.contains(found)) return found != nullptr;
  LoadedObject const part = LoadedObject::at(found);
  return is_named_as_mpi(mpi.path()) && part && part.find_own(characteristic_of_mpi) == nullptr;
}

Family const* family_of(LoadedObject const& mpi) {
  if (!mpi) return nullptr;
  return family_by(mpi.dynamic_section().soname(), [&](char const* symbol) { return is_of_family(mpi, symbol); });
}

// A library that converts calls of programs for Open MPI defines that one's symbols, but has no number in its soname.
bool is_known_mpi(LoadedObject const& object) {
  return object && object.find_own(characteristic_of_mpi) != nullptr && *Abi(object).name() != '\0';
}

// The MPI behind a library that defines PMPI functions itself: a tool that observes profilers, or a library that
// converts calls for an MPI with another ABI.
LoadedObject mpi_behind_another() {
  LoadedObject found;
  for (Family const& family : families) {
    found = LoadedObject::at(next_definition(family.symbol));
    if (is_known_mpi(found)) return found;
  }
  found = {};
  LoadedList const list(has_name_of_mpi);
  list.for_each([&](char const* path) {
    LoadedObject object(path);
    if (!found && is_known_mpi(object)) found = std::move(object);
  });
  return found;
}

// Whether names of the profiling interface lead to a library that converts calls for the MPI: it also has those of MPI,
// which programs call. A tool that observes profilers lacks these, and keeps the calls of the profiling interface.
bool is_hidden_by_converter(LoadedObject const& mpi) {
  void* const found = system_dlsym()(RTLD_DEFAULT, characteristic_of_mpi);
  LoadedObject const first = LoadedObject::at(found);
  return first && !first.is_same_as(mpi) && first.find_own("MPI_Init") != nullptr;
}

// The MPI in the global scope or, without one there, the only MPI that is loaded.
MpiOfProcess loaded_mpi() {
  MpiOfProcess found;
  if (void const* const in_common_scope = next_definition(characteristic_of_mpi)) {
    found.library = LoadedObject::at(in_common_scope);
    if (!is_known_mpi(found.library))
      if (LoadedObject behind = mpi_behind_another()) found.library = std::move(behind);
    return found;
  }
  LoadedList const list(has_name_of_mpi);
  list.for_each([&](char const* path) {
    LoadedObject const object(path);
    void* const init = object ? object.find(characteristic_of_mpi) : nullptr;
    if (init == nullptr) return;
    LoadedObject mpi = LoadedObject::at(init);  // may be a dependency of the object
    if (!found.library) found.library = std::move(mpi);
    else if (!found.library.is_same_as(mpi)) found.are_several = true;
  });
  if (found.are_several) found.library = {};
  return found;
}

}  // namespace

bool is_named_as_mpi(char const* path) {
  char const* const slash = std::strrchr(path, '/');
  return std::string_view(slash == nullptr ? path : slash + 1).starts_with("libmpi");
}

bool has_name_of_mpi(dl_phdr_info const& object) { return is_named_as_mpi(object.dlpi_name); }

bool is_part_of_mpi(DynamicSection const& dynamic, char const* path) {
  return is_named_as_mpi(path) && (has_standard_abi(dynamic.soname()) ||
                                   dynamic.defines_any({characteristic_of_mpi, "pmpi_init_", "pmpi_init_f08_",
                                                        "pmpi_init", "pmpi_init__", "PMPI_INIT"}));
}

bool calls_pmpi(DynamicSection const& dynamic) {
  bool found = false;
  dynamic.for_each_undefined(
      [&](std::string_view name, bool) { found = found || name.starts_with("PMPI_") || name.starts_with("pmpi_"); });
  return found;
}

MpiOfProcess mpi_of_process() {
  MpiOfProcess found = loaded_mpi();
  found.is_hidden = found.library && is_hidden_by_converter(found.library);
  return found;
}

void* find_as_mpi_does(char const* symbol) {
  void* found = nullptr;
  LoadedList const list(has_name_of_mpi);
  list.for_each([&](char const* path) {
    LoadedObject const object(path);
    if (!object) return;
    object.dynamic_section().for_each_slot([&](DynamicSection::Import const& import) {
      if (found == nullptr && import.addend == 0 && std::string_view(import.name) == symbol) found = *import.slot;
    });
  });
  return found;
}

bool is_linked() {
  LoadedObject const front = LoadedObject::at(reinterpret_cast<void const*>(&is_linked));
  std::string_view const soname = front ? front.dynamic_section().soname() : std::string_view{};
  return !soname.empty() &&
         is_any_loaded([&](dl_phdr_info const& object) { return DynamicSection(object).needs(soname); });
}

LoadedObject open_omitted_mpi() {
  for (bool const is_of_launcher : {true, false})
    for (Built const& candidate : built) {
      Family const* const family = std::find_if(std::begin(families), std::end(families), [&](Family const& each) {
        return std::strncmp(candidate.flavour, each.name, std::strlen(each.name)) == 0;
      });
      if (is_of_launcher && (family == std::end(families) || std::getenv(family->launched) == nullptr)) continue;
      void* const handle = dlopen(candidate.library, RTLD_LAZY | RTLD_GLOBAL);
      if (handle != nullptr) return LoadedObject(candidate.library);
    }
  return {};
}

Abi::Abi(LoadedObject const& mpi) {
  Family const* const family = family_of(mpi);
  long const number = abi_number(mpi.dynamic_section().soname());
  if (family == nullptr || number < 0) return;
  std::snprintf(name_, sizeof name_, "%s-%ld", family->name, number);
  unsupported_operation_ = family->unsupported_operation;
}

bool is_first_of_job() {
  for (char const* const variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    char const* const rank = std::getenv(variable);
    if (rank != nullptr) return std::strcmp(rank, "0") == 0;
  }
  return true;
}

namespace {

// A flavour has no DT_NEEDED entry for an MPI, and its references to MPI are weak, so it also loads with an MPI that
// lacks some functions. The dynamic linker binds references to symbols in the global scope. This binds the others to
// the MPI of the process, which the program may have loaded outside the global scope; all of them if a converter hides
// the MPI.
void bind(LoadedObject const& flavour, MpiOfProcess const& process, bool may_lack_names) {
  LoadedObject const& mpi = process.library;
  dl_phdr_info const segments = flavour.segments();
  flavour.dynamic_section().for_each_import([&](DynamicSection::Import const& import) {
    bool const is_bound = reinterpret_cast<std::ptrdiff_t>(*import.slot) != import.addend;
    void* found = process.is_hidden ? mpi.find_own(import.name) : nullptr;
    if (is_bound && !may_lack_names && found == nullptr) return;
    if (found == nullptr) {
      found = mpi.find(import.name);
      if (is_bound && found != nullptr) return;
    }
    // MPICH 5.0.2 with the standard ABI lacks PMPI_File_close, which another MPI of the process may define.
    if (found == nullptr && std::string_view(import.name).starts_with("PMPI_")) found = mpi.find_own(import.name + 1);
    if (found != nullptr) write_slot(segments, import.slot, static_cast<char*>(found) + import.addend);
  });
}

// Opens the flavour beside the front's real file, if the front was loaded through a symbolic link in another directory.
void* open_beside_file(char const* abi) {
  Dl_info own{};
  char file[PATH_MAX], path[PATH_MAX + 64];
  if (dladdr(reinterpret_cast<void const*>(&open_flavour), &own) == 0 || realpath(own.dli_fname, file) == nullptr)
    return nullptr;
  char* const slash = std::strrchr(file, '/');
  if (slash == nullptr) return nullptr;
  *slash = '\0';
  std::snprintf(path, sizeof path, "%s/commprof/%s.so", file, abi);
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

link_map const* open_flavour(char const* abi, MpiOfProcess const& mpi, Services& services, char const*& problem) {
  // $ORIGIN is right even if the front was loaded by a relative path and the working directory has changed since.
  char path[64];
  std::snprintf(path, sizeof path, "$ORIGIN/commprof/%s.so", abi);
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  char const* const problem_here = handle == nullptr ? dlerror() : nullptr;
  static char kept[1024];
  if (problem_here != nullptr) {
    std::snprintf(kept, sizeof kept, "%s", problem_here);
    handle = open_beside_file(abi);
  }
  if (handle == nullptr) {
    problem = kept;
    return nullptr;
  }
  auto const attach = reinterpret_cast<Attach>(system_dlsym()(handle, attach_symbol));
  if (attach == nullptr) {
    problem = "it is not a flavour of commprof";
    return nullptr;
  }
  LoadedObject flavour = LoadedObject::at(reinterpret_cast<void const*>(attach));
  bind(flavour, mpi, std::string_view(abi).starts_with(standard_abi.name));
  attach(&services);
  flavour.keep();
  return flavour.map();
}

}  // namespace commprof::front
