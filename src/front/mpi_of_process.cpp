#include <dlfcn.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "base/message.hpp"
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
  MpiOfProcess found;
  if (void const* const in_global_scope = system_dlsym()(RTLD_DEFAULT, characteristic_of_mpi)) {
    found.library = LoadedObject::at(in_global_scope);
    // A tool that observes profilers defines functions of PMPI alone. The MPI is behind it.
    if (found.library && found.library.find_own("MPI_Init") != nullptr) return found;
    for (Family const& family : families)
      if (LoadedObject behind = LoadedObject::at(next_definition(family.symbol))) found.library = std::move(behind);
    return found;
  }
  for_each_loaded(has_name_of_mpi, [&](char const* path, DynamicSection const&) {
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

void* find_as_mpi_does(char const* symbol) {
  void* found = nullptr;
  for_each_loaded(has_name_of_mpi, [&](char const*, DynamicSection const& dynamic) {
    dynamic.for_each_slot([&](DynamicSection::Import const& import) {
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
// the MPI of the process, which the program may have loaded outside the global scope.
void bind(LoadedObject const& flavour, LoadedObject const& mpi, bool may_lack_names) {
  flavour.dynamic_section().for_each_import([&](DynamicSection::Import const& import) {
    bool const is_bound = reinterpret_cast<std::ptrdiff_t>(*import.slot) != import.addend;
    if (is_bound && !may_lack_names) return;
    void* found = mpi.find(import.name);
    if (is_bound && found != nullptr) return;
    // MPICH 5.0.2 with the standard ABI lacks PMPI_File_close, which another MPI of the process may define.
    if (found == nullptr && std::string_view(import.name).starts_with("PMPI_")) found = mpi.find_own(import.name + 1);
    if (found != nullptr) *import.slot = static_cast<char*>(found) + import.addend;
  });
}

}  // namespace

link_map const* open_flavour(char const* abi, LoadedObject const& mpi, Services& services, char const*& problem) {
  // The front may have been loaded through a symbolic link, or by a relative path, and the working directory may have
  // changed since.
  Dl_info own{};
  char file[PATH_MAX], path[PATH_MAX + 64];
  if (dladdr(reinterpret_cast<void const*>(&open_flavour), &own) == 0) return nullptr;
  char const* const directory = *own.dli_fname == '/' ? "" : own_at_load.directory;
  bool const fits = std::snprintf(path, sizeof path, "%s/%s", directory, own.dli_fname) < PATH_MAX;
  if (fits && realpath(path, file) == nullptr) std::strcpy(file, path);
  char* const slash = fits ? std::strrchr(file, '/') : nullptr;
  if (slash != nullptr) *slash = '\0';
  std::snprintf(path, sizeof path, "%s/commprof/%s.so", slash == nullptr ? "" : file, abi);
  void* const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    static char kept[1024];
    std::snprintf(kept, sizeof kept, "%s", dlerror());
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
