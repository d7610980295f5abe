// Observes the program's error handlers, so that a failed call is recognised even if its result is MPI_SUCCESS.
//
// A handler may set the code that it gets to MPI_SUCCESS, which some calls then return, and MPICH 5.0.2 returns
// MPI_SUCCESS whenever a handler of the program has run. After a failed call, its results (status, request,
// communicator) have their old values. So the profiler puts a function of its own in front of each handler that the
// program creates. It keeps the error for the call's wrapper, see Call::error().
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>

#include "base/compiler.hpp"
#include "flavour/flavour.hpp"
#include "mpi/mpi.hpp"
#include "wrappers/call.hpp"
#ifndef COMMPROF_STANDARD_ABI
#include "wrappers/fortran.hpp"
#endif

using namespace commprof;

namespace commprof::error_handlers {

namespace {

// A handler of C or Fortran. A handler of C gets further arguments, which depend on the MPI.
using Handler = void (*)(void* object, int* code, ...);
using Observer = void (*)(void* object, int* code, void*, void*, void*, void*);

constexpr std::size_t most = 64;
std::mutex mutex;
std::atomic<Handler> handlers[most];

// Keeps the error once the handler has returned, because MPI then returns to the wrapper.
template <std::size_t place>
void observe(void* object, int* code, void* a, void* b, void* c, void* d) {
  int const error = *code;
  handlers[place].load(std::memory_order_relaxed)(object, code, a, b, c, d);
  nesting::keep_error(error, *code);
}

template <std::size_t... places>
constexpr auto observers_of(std::index_sequence<places...>) {
  return std::to_array<Observer>({&observe<places>...});
}
constexpr auto observers = observers_of(std::make_index_sequence<most>());

// The function to give to MPI in place of the program's; the program's own if there are too many.
void* observed(void* handler) {
  auto const wanted = reinterpret_cast<Handler>(handler);
  if (wanted == nullptr) return handler;
  std::lock_guard const lock(mutex);
  for (std::size_t i = 0; i < most; ++i) {
    auto* const observer = reinterpret_cast<void*>(observers[i]);
    if (observer == handler) return handler;  // a binding built upon another one passes our observer
    Handler const known = handlers[i].load(std::memory_order_relaxed);
    if (known != nullptr && known != wanted) continue;
    handlers[i].store(wanted, std::memory_order_relaxed);
    return observer;
  }
  return handler;
}

template <class Function>
Function* observed(Function* handler) {
  return reinterpret_cast<Function*>(observed(reinterpret_cast<void*>(handler)));
}

#ifndef COMMPROF_STANDARD_ABI
void create(fortran::Next& next, void* handler, void* errhandler, void* ierror) {
  next(observed(handler), errhandler, ierror);
}
#endif

}  // namespace
}  // namespace commprof::error_handlers

// The functions that create a handler: in C, and in Fortran with each mangling.
#define COMMPROF_CREATE_ERRHANDLER(Object, object, OBJECT)                                          \
  COMMPROF_EXPORT int MPI_##Object##_create_errhandler(MPI_##Object##_errhandler_function* handler, \
                                                       MPI_Errhandler* errhandler) {                \
    COMMPROF_NEXT_SECTION static constinit Next<decltype(PMPI_##Object##_create_errhandler)> next{  \
        "MPI_" #Object "_create_errhandler", PMPI_##Object##_create_errhandler};                    \
    return next(error_handlers::observed(handler), errhandler);                                     \
  }                                                                                                 \
  COMMPROF_CREATE_IN_FORTRAN(mpi_##object##_create_errhandler)                                      \
  COMMPROF_CREATE_IN_FORTRAN(mpi_##object##_create_errhandler_)                                     \
  COMMPROF_CREATE_IN_FORTRAN(mpi_##object##_create_errhandler__)                                    \
  COMMPROF_CREATE_IN_FORTRAN(mpi_##object##_create_errhandler_f08_)                                 \
  COMMPROF_CREATE_IN_FORTRAN(MPI_##OBJECT##_CREATE_ERRHANDLER)
#ifdef COMMPROF_STANDARD_ABI
#define COMMPROF_CREATE_IN_FORTRAN(symbol)
#else
#define COMMPROF_CREATE_IN_FORTRAN(symbol)                                     \
  COMMPROF_EXPORT void symbol(void* handler, void* errhandler, void* ierror) { \
    COMMPROF_NEXT_SECTION static constinit fortran::Next next(#symbol);        \
    error_handlers::create(next, handler, errhandler, ierror);                 \
  }
#endif

extern "C" {
COMMPROF_CREATE_ERRHANDLER(Comm, comm, COMM)
COMMPROF_CREATE_ERRHANDLER(Win, win, WIN)
COMMPROF_CREATE_ERRHANDLER(File, file, FILE)
COMMPROF_CREATE_ERRHANDLER(Session, session, SESSION)
// MPI-3 has removed MPI_Errhandler_create; programs in Fortran may still call it.
COMMPROF_CREATE_IN_FORTRAN(mpi_errhandler_create)
COMMPROF_CREATE_IN_FORTRAN(mpi_errhandler_create_)
COMMPROF_CREATE_IN_FORTRAN(mpi_errhandler_create__)
COMMPROF_CREATE_IN_FORTRAN(MPI_ERRHANDLER_CREATE)
}
