#include "front/flavour.hpp"

#include <dlfcn.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "front/families.hpp"

namespace commprof::front {

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
    if (found != nullptr) LoadedObject::write(segments, import.slot, static_cast<char*>(found) + import.addend);
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
