#include "wrappers/fortran.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <span>

#include "base/compiler.hpp"
#include "base/message.hpp"
#include "counters/counters.hpp"
#include "flavour/flavour.hpp"
#include "run/run.hpp"
#include "wrappers/initialization.hpp"

namespace commprof::fortran {

namespace {

// If a program is linked with the profiler, all MPI symbols that it uses may be defined by the profiler. Then the
// linker omits MPI's Fortran libraries (--as-needed), and they are opened here.
void* find_in_omitted_libraries(char const* symbol) {
#if defined(OPEN_MPI)
  constexpr char const* names[] = {"libmpi_usempif08.so.40", "libmpi_mpifh.so.40", "libmpi_usempif08.so",
                                   "libmpi_mpifh.so"};
#else
  constexpr char const* names[] = {"libmpichfort.so.12", "libmpifort.so.12", "libmpichfort.so", "libmpifort.so"};
#endif
  for (char const* const name : names) {
    void* const library = dlopen(name, RTLD_LAZY | RTLD_GLOBAL);
    if (library == nullptr) continue;
    if (void* const address = find_in_library(library, symbol)) return address;
  }
  return nullptr;
}

void* find_behind(char const* symbol) {
  return front_services != nullptr ? front_services->find_behind(symbol) : dlsym(RTLD_NEXT, symbol);
}

// MPICH's common block mpipriv1 holds MPI_BOTTOM, MPI_IN_PLACE and MPI_STATUS_IGNORE, in this order.
constexpr Constants::Place in_place_places[] = {
    {"mpi_fortran_in_place_", 0}, {"MPIR_F08_MPI_IN_PLACE", 0}, {"mpipriv1_", sizeof(MPI_Fint)}};
constexpr Constants::Place ignore_places[] = {
    {"mpi_fortran_status_ignore_", 0},     {"mpi_fortran_statuses_ignore_", 0},
    {"mpipriv1_", 2 * sizeof(MPI_Fint)},   {"mpipriv2_", 0},
    {"MPIR_F08_MPI_STATUS_IGNORE_OBJ", 0}, {"MPIR_F08_MPI_STATUSES_IGNORE_OBJ", 0}};

}  // namespace

constinit Constants in_place_constants(in_place_places);
constinit Constants ignore_constants(ignore_places);

void find_constants() {
  in_place_constants.contain(nullptr);
  ignore_constants.contain(nullptr);
}

void Constants::find() {
  static std::mutex mutex;
  std::lock_guard const lock(mutex);
  if (are_found_.load(std::memory_order_relaxed)) return;
  std::uintptr_t lowest = UINTPTR_MAX, highest = 0;
  std::size_t found = 0;
  for (Place const& place : std::span(places_, count_)) {
    void* address_of_symbol = front_services != nullptr ? front_services->find_as_mpi_does(place.symbol) : nullptr;
    if (address_of_symbol == nullptr) address_of_symbol = dlsym(RTLD_DEFAULT, place.symbol);
    if (address_of_symbol == nullptr && front_services != nullptr)
      address_of_symbol = front_services->find_behind(place.symbol);
    auto* const symbol = static_cast<char const*>(address_of_symbol);
    if (symbol == nullptr) continue;
    addresses_[found++] = symbol + place.offset;
    auto const address = reinterpret_cast<std::uintptr_t>(symbol + place.offset);
    lowest = std::min(lowest, address);
    highest = std::max(highest, address);
  }
  count_ = found;
  lowest_ = lowest;
  span_ = found == 0 ? 0 : highest - lowest;
  are_found_.store(true, std::memory_order_release);
}

bool Constants::has(void const* argument) const {
  return std::find(addresses_, addresses_ + count_, argument) != addresses_ + count_;
}

void* Next::look_up() {
  void* address = find_behind(symbol_);
  if (address == nullptr && symbol_with_descriptors_ != nullptr) {
    address = find_behind(symbol_with_descriptors_);
    has_descriptors_ = address != nullptr;
  }
  if (address == nullptr) address = find_in_omitted_libraries(symbol_);
  if (address == nullptr) {
    say({"no MPI library defines ", symbol_});
    std::abort();  // the program would fail without the profiler, too
  }
  address_.store(address, std::memory_order_relaxed);
  return address;
}

}  // namespace commprof::fortran

// The Fortran forms of the calls whose wrappers are written by hand.

using namespace commprof;

namespace {

void init(fortran::Next& next, void* ierror) {
  fortran::find_constants();
  fortran::ErrorOut error_out(ierror);
  initialization::of_world([&] {
    next(error_out.get());
    return error_out.result();
  });
}

void init_thread(fortran::Next& next, void* required, void* provided, void* ierror) {
  fortran::find_constants();
  fortran::ErrorOut error_out(ierror);
  initialization::of_world([&] {
    next(required, provided, error_out.get());
    return error_out.result();
  });
}

void abort_job(fortran::Next& next, void* comm, void* errorcode, void* ierror) {
  run::abort(fortran::integer(errorcode));
  next(comm, errorcode, ierror);
}

// Inlined, since the place of the call in the program is where the wrapper returns to.
[[gnu::always_inline]] inline void session_init(fortran::Next& next, void* info, void* errhandler, void* session,
                                                void* ierror) {
  fortran::ErrorOut error_out(ierror);
  initialization::of_session([&] {
    next(info, errhandler, session, error_out.get());
    return error_out.result();
  });
}

// Not the next definition: MPICH's calls MPI_Pcontrol, which would be obeyed twice.
void pcontrol(fortran::Next&, void* level) {
  control::obey(control::meaning_of(fortran::integer(level)), nullptr);
  PMPI_Pcontrol(fortran::integer(level));
}

void set_name(fortran::Next& next, void* comm, void* name, void* ierror, std::size_t length) {
  fortran::ErrorOut error_out(ierror);
  Call call;
  next(comm, name, error_out.get(), length);
  if (!call.is_kept() || call.error(error_out.result()) != MPI_SUCCESS) return;
  communicators::named(PMPI_Comm_f2c(fortran::integer(comm)), fortran::text(name, length));
}

}  // namespace

// One definition for each mangling of a symbol.
#define COMMPROF_FORTRAN(lower, upper, parameters, body, ...)          \
  COMMPROF_FORTRAN_SYMBOL(lower##_f08_, parameters, body, __VA_ARGS__) \
  COMMPROF_FORTRAN_SYMBOL(lower, parameters, body, __VA_ARGS__)        \
  COMMPROF_FORTRAN_SYMBOL(lower##_, parameters, body, __VA_ARGS__)     \
  COMMPROF_FORTRAN_SYMBOL(lower##__, parameters, body, __VA_ARGS__)    \
  COMMPROF_FORTRAN_SYMBOL(upper, parameters, body, __VA_ARGS__)
#define COMMPROF_FORTRAN_SYMBOL(symbol, parameters, body, ...)          \
  COMMPROF_EXPORT void symbol parameters {                              \
    COMMPROF_NEXT_SECTION static constinit fortran::Next next(#symbol); \
    body(next, __VA_ARGS__);                                            \
  }

extern "C" {
COMMPROF_FORTRAN(mpi_init, MPI_INIT, (void* ierror), init, ierror)
COMMPROF_FORTRAN(mpi_init_thread, MPI_INIT_THREAD, (void* required, void* provided, void* ierror), init_thread,
                 required, provided, ierror)
COMMPROF_FORTRAN(mpi_abort, MPI_ABORT, (void* comm, void* errorcode, void* ierror), abort_job, comm, errorcode, ierror)
COMMPROF_FORTRAN(mpi_pcontrol, MPI_PCONTROL, (void* level), pcontrol, level)
COMMPROF_FORTRAN(mpi_comm_set_name, MPI_COMM_SET_NAME, (void* comm, void* name, void* ierror, std::size_t length),
                 set_name, comm, name, ierror, length)
COMMPROF_FORTRAN(mpi_session_init, MPI_SESSION_INIT, (void* info, void* errhandler, void* session, void* ierror),
                 session_init, info, errhandler, session, ierror)
}
