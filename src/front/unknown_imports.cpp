#include "front/unknown_imports.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "flavour/services.hpp"
#include "front/front.hpp"
#include "front/loaded_list.hpp"
#include "front/loaded_object.hpp"
#include "front/mpi_of_process.hpp"

namespace commprof::front {

namespace {

// Names of functions have a lower-case letter; other symbols of MPI are in capitals.
bool is_function_name(std::string_view name) {
  if (!name.starts_with("MPI_") && !name.starts_with("MPIX_")) return false;
  return std::any_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

bool is_flavour(dl_phdr_info const& object) { return DynamicSection(object).defines_any({attach_symbol}); }

// What names of Fortran and C share: "send" of mpi_send_, mpi_send_f08_ and MPI_Send. Empty for a name of C.
std::string_view stem_of_fortran(std::string_view name) {
  if (!name.starts_with("mpi_")) return {};
  name.remove_prefix(4);
  while (name.ends_with('_')) name.remove_suffix(1);
  for (std::string_view const suffix : {"_f08ts", "_f08"})
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  return name;
}

// Whether a name is that of a function of C with this stem.
bool is_of_c(std::string_view name, std::string_view stem) {
  auto const is_same = [](char letter, char small) {
    return (letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter) == small;
  };
  return name.starts_with("MPI_") && std::ranges::equal(name.substr(4), stem, is_same);
}

bool wraps_in_c(DynamicSection const& flavour, std::string_view stem) {
  bool found = false;
  flavour.for_each_definition([&](std::uint32_t, auto const& name) { found = found || is_of_c(name(), stem); });
  return found;
}

// Whether a function of Fortran leads to the MPI past the flavour: the MPI defines it, or a library that calls the
// profiling interface. If the library also calls the function of C, it needs the profiling interface for pmpi_ names.
bool passes_flavour(char const* name, std::string_view stem, void* mpi) {
  LoadedObject const definer = LoadedObject::at(next_definition(name));
  if (!definer) return false;
  bool calls_c = false;
  definer.dynamic_section().for_each_undefined(
      [&](char const* other, bool) { calls_c = calls_c || is_of_c(other, stem); });
  return definer.has_handle(mpi) || (calls_pmpi(definer.dynamic_section()) && !calls_c);
}

}  // namespace

void for_each_unknown_import(bool (*is_known)(char const* name), void (*visit)(void* context, char const* name),
                             void* context) {
  void* const mpi = profiled_mpi();
  if (mpi == nullptr) return;
  LoadedObject flavour;
  LoadedList const flavours(is_flavour);
  flavours.for_each([&](char const* path) { flavour = LoadedObject(path); });
  if (!flavour) return;
  bool const has_fortran = flavour.find_own("mpi_init_") != nullptr;
  auto const may_be_missed = [&](char const* name) {
    return is_function_name(name) ? !is_known(name) : !has_fortran && !stem_of_fortran(name).empty();
  };
  auto const is_missed = [&](char const* name) {
    if (!may_be_missed(name)) return false;
    if (is_function_name(name)) return system_dlsym()(mpi, name) != nullptr;
    std::string_view const stem = stem_of_fortran(name);
    return wraps_in_c(flavour.dynamic_section(), stem) && passes_flavour(name, stem, mpi);
  };
  auto const read_imports = [&](char const* path) {
    LoadedObject const object(path);
    if (!object || object.is_same_as(flavour)) return;
    object.dynamic_section().for_each_undefined([&](char const* name, bool) {
      if (is_missed(name)) visit(context, name);
    });
  };
  read_imports(nullptr);  // the program itself
  // Most objects need not be opened.
  LoadedList const others([&](dl_phdr_info const& object) {
    bool found = false;
    if (!has_name_of_mpi(object))
      DynamicSection(object).for_each_undefined([&](char const* name, bool) { found = found || may_be_missed(name); });
    return found;
  });
  others.for_each(read_imports);
}

}  // namespace commprof::front
