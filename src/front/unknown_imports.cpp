#include "front/unknown_imports.hpp"

#include <algorithm>
#include <string_view>

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

bool is_flavour(LoadedObject const& object) { return object.find_own(attach_symbol) != nullptr; }

}  // namespace

void for_each_unknown_import(bool (*is_known)(char const* name), void (*visit)(void* context, char const* name),
                             void* context) {
  void* const mpi = profiled_mpi();
  if (mpi == nullptr) return;
  auto const read_imports = [&](char const* path) {
    LoadedObject const object(path);
    if (!object) return;
    if (is_flavour(object)) return;
    object.dynamic_section().for_each_undefined([&](char const* name, bool) {
      if (is_function_name(name) && !is_known(name) && system_dlsym()(mpi, name) != nullptr) visit(context, name);
    });
  };
  read_imports(nullptr);  // the program itself
  LoadedList const list([](dl_phdr_info const& object) { return !is_named_as_mpi(object.dlpi_name); });
  list.for_each(read_imports);
}

}  // namespace commprof::front
