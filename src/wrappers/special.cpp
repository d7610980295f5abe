// The wrappers written by hand: those of the beginning and the end of MPI, of calls with a special meaning, and of the
// functions that create error handlers.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/compiler.hpp"
#include "flavour/flavour.hpp"
#include "mpi/mpi.hpp"
#include "mpi_messages/mpi_messages.hpp"
#include "next.hpp"
#include "run/run.hpp"
#include "wrappers/counting.hpp"
#include "wrappers/initialization.hpp"

// Observes the program's error handlers, so that a failed call is recognised even if its result is MPI_SUCCESS.
//
// A handler may set the code that it gets to MPI_SUCCESS, which some calls then return, and MPICH 5.0.2 returns
// MPI_SUCCESS whenever a handler of the program has run. After a failed call, its results (status, request,
// communicator) have their old values. So the profiler puts a function of its own in front of each handler that the
// program creates in C. It keeps the error for the call's wrapper, see Call::error().
namespace commprof::error_handlers {

namespace {

// A handler gets further arguments, which depend on the MPI.
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

}  // namespace
}  // namespace commprof::error_handlers

using namespace commprof;

namespace {

// Reads what may not be memory at all, such as an argument that the program left out. The number of bytes that are
// there, from the first on. The system copies them through a pipe, where a load would crash; some containers forbid
// process_vm_readv().
std::size_t read_if_there(void* to, void const* from, std::size_t bytes) {
  constexpr std::uintptr_t page = PIPE_BUF;  // no page is smaller
  int const errno_of_program = errno;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return 0;
  std::size_t done = 0;
  for (ssize_t n = 1; done < bytes && n > 0; done += n > 0 ? static_cast<std::size_t>(n) : 0) {
    char const* const next = static_cast<char const*>(from) + done;
    n = write(ends[1], next, std::min(bytes - done, page - reinterpret_cast<std::uintptr_t>(next) % page));
    if (n > 0) n = read(ends[0], static_cast<char*>(to) + done, static_cast<std::size_t>(n));
  }
  for (int const end : ends) close(end);
  errno = errno_of_program;
  return done;
}

}  // namespace

// The functions that create a handler.
#define COMMPROF_CREATE_ERRHANDLER(Object)                                                          \
  COMMPROF_EXPORT int MPI_##Object##_create_errhandler(MPI_##Object##_errhandler_function* handler, \
                                                       MPI_Errhandler* errhandler) {                \
    COMMPROF_NEXT_SECTION static constinit Next<decltype(PMPI_##Object##_create_errhandler)> next{  \
        "MPI_" #Object "_create_errhandler", PMPI_##Object##_create_errhandler};                    \
    return next(error_handlers::observed(handler), errhandler);                                     \
  }

extern "C" {

COMMPROF_EXPORT int MPI_Init(int* argc, char*** argv) {
  return initialization::of_world([&] { return next::MPI_Init(argc, argv); });
}

COMMPROF_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return initialization::of_world([&] { return next::MPI_Init_thread(argc, argv, required, provided); });
}

// The MPI may read its settings here, before MPI_Init.
COMMPROF_EXPORT int MPI_T_init_thread(int required, int* provided) {
  mpi_messages::prepare();
  int const result = PMPI_T_init_thread(required, provided);
  mpi_messages::leave_environment();
  return result;
}

COMMPROF_EXPORT int MPI_Abort(MPI_Comm comm, int errorcode) {
  run::abort(errorcode);
  return next::MPI_Abort(comm, errorcode);
}

COMMPROF_EXPORT int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  return initialization::of_session([&] { return next::MPI_Session_init(info, errhandler, session); });
}

// Drops the further arguments of MPI_Pcontrol, which cannot be forwarded and which no MPI reads. A program may leave
// out the name: then the argument is a leftover in a register.
COMMPROF_EXPORT int MPI_Pcontrol(int const level, ...) {
  control::Wish const wish = control::meaning_of(level);
  char room[RegionName::enough_bytes + 1];
  std::size_t bytes = 0;
  if (wish == control::Wish::begin_region) {
    va_list arguments;
    va_start(arguments, level);
    bytes = read_if_there(room, va_arg(arguments, char const*), sizeof room - 1);
    va_end(arguments);
  }
  room[bytes] = '\0';
  control::obey(wish, bytes > 0 ? room : nullptr);
  return PMPI_Pcontrol(level);
}

COMMPROF_EXPORT int MPI_Comm_set_name(MPI_Comm comm, char const* comm_name) {
  Call call;
  int const returned = next::MPI_Comm_set_name(comm, comm_name);
  if (call.is_kept() && call.error(returned) == MPI_SUCCESS) communicators::named(comm, comm_name);
  return returned;
}

COMMPROF_CREATE_ERRHANDLER(Comm)
COMMPROF_CREATE_ERRHANDLER(Win)
COMMPROF_CREATE_ERRHANDLER(File)
COMMPROF_CREATE_ERRHANDLER(Session)
}
