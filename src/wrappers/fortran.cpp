#include "wrappers/fortran.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>

#include "profile/message.hpp"

namespace commprof::fortran {

namespace {

// A definition in a library that was loaded for some module alone, out of sight of the search in load order: Python does so.
void* find_in_loaded_libraries(char const* symbol) {
  struct Search {
    char const* symbol;
    void* own_base;
    void* found;
  };
  Dl_info own{};
  dladdr(reinterpret_cast<void*>(&find_in_loaded_libraries), &own);
  Search search{symbol, own.dli_fbase, nullptr};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto* const wanted = static_cast<Search*>(data);
        if (info->dlpi_name == nullptr || info->dlpi_name[0] == '\0') return 0;
        void* const library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
        if (library == nullptr) return 0;
        void* const address = dlsym(library, wanted->symbol);
        dlclose(library);
        Dl_info where{};
        if (address == nullptr || dladdr(address, &where) == 0 || where.dli_fbase == wanted->own_base) return 0;
        wanted->found = address;
        return 1;
      },
      &search);
  return search.found;
}

// A program that is linked with us and calls nothing of MPI but what we define does not need MPI's own Fortran libraries, as far
// as the linker sees, which leaves them out.
void* find_in_omitted_libraries(char const* symbol) {
#if defined(OPEN_MPI)
  constexpr char const* names[] = {"libmpi_usempif08.so.40", "libmpi_mpifh.so.40", "libmpi_usempif08.so", "libmpi_mpifh.so"};
#else
  constexpr char const* names[] = {"libmpichfort.so.12", "libmpifort.so.12", "libmpichfort.so", "libmpifort.so"};
#endif
  for (char const* const name : names) {
    void* const library = dlopen(name, RTLD_LAZY | RTLD_GLOBAL);
    if (void* const address = library == nullptr ? nullptr : dlsym(library, symbol)) return address;
  }
  return nullptr;
}

// Constants of Fortran that C knows by their address: a symbol, and the distance from it. A program without Fortran has none.
struct Constant {
  char const* symbol;
  std::size_t offset;
};

template <std::size_t n>
class Constants {
 public:
  explicit Constants(Constant const (&constants)[n]) {
    for (std::size_t i = 0; i < n; ++i)
      if (auto* const address = static_cast<char const*>(dlsym(RTLD_DEFAULT, constants[i].symbol)))
        addresses_[i] = address + constants[i].offset;
  }
  bool contain(void const* argument) const {
    for (void const* const address : addresses_)
      if (argument == address && address != nullptr) return true;
    return false;
  }

 private:
  void const* addresses_[n]{};
};

// MPICH's common block mpipriv1 holds MPI_BOTTOM, MPI_IN_PLACE and MPI_STATUS_IGNORE, in this order.
constexpr Constant in_place_constants[] = {
    {"mpi_fortran_in_place_", 0}, {"MPIR_F08_MPI_IN_PLACE", 0}, {"mpipriv1_", sizeof(MPI_Fint)}};
constexpr Constant ignore_constants[] = {{"mpi_fortran_status_ignore_", 0},
                                         {"mpi_fortran_statuses_ignore_", 0},
                                         {"mpipriv1_", 2 * sizeof(MPI_Fint)},
                                         {"mpipriv2_", 0},
                                         {"MPIR_F08_MPI_STATUS_IGNORE_OBJ", 0},
                                         {"MPIR_F08_MPI_STATUSES_IGNORE_OBJ", 0}};

}  // namespace

void* Next::look_up() {
  void* address = dlsym(RTLD_NEXT, symbol_);
  if (address == nullptr) address = find_in_loaded_libraries(symbol_);
  if (address == nullptr) address = find_in_omitted_libraries(symbol_);
  if (address == nullptr) {
    say({"no MPI library defines ", symbol_});
    std::abort();  // as the program would have, had it been linked without us
  }
  address_.store(address, std::memory_order_relaxed);
  return address;
}

void const* buffer(void const* argument) {
  static Constants const in_place(in_place_constants);
  return in_place.contain(argument) ? MPI_IN_PLACE : argument;
}

MPI_Status* statuses(void* argument) {
  static Constants const ignore(ignore_constants);
  bool const ignored = argument == MPI_F_STATUS_IGNORE || argument == MPI_F_STATUSES_IGNORE || ignore.contain(argument);
  return ignored ? MPI_STATUS_IGNORE : static_cast<MPI_Status*>(argument);
}

}  // namespace commprof::fortran
