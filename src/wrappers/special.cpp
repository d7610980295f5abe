// The wrappers written by hand: those of the beginning and the end of MPI, and of calls with a special meaning.
#include <cstdarg>

#include "base/compiler.hpp"
#include "mpi_messages/mpi_messages.hpp"
#include "next.hpp"
#include "run/run.hpp"
#include "wrappers/counting.hpp"
#include "wrappers/initialization.hpp"

using namespace commprof;

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
  return initialization::of_session([&] { return next::MPI_Session_init(info, errhandler, session); },
                                    [&] { return *session; });
}

COMMPROF_EXPORT int MPI_Session_finalize(MPI_Session* session) {
  if (session != nullptr) run::session_closes(*session);
  Call call;
  int const returned = next::MPI_Session_finalize(session);
  if (call.is_kept()) {
    call.stop();
    record(call, Op::Session_finalize, at_self(call.error(returned)), volume::none);
  }
  return returned;
}

// Drops the further arguments of MPI_Pcontrol, which cannot be forwarded and which no MPI reads. A program may leave
// out the name: then the argument is a leftover in a register.
COMMPROF_EXPORT int MPI_Pcontrol(int const level, ...) {
  control::Level const meaning = control::meaning_of(level);
  char room[RegionName::max_bytes + 1];
  std::size_t bytes = 0;
  if (meaning.has_name) {
    va_list arguments;
    va_start(arguments, level);
    bytes = call_memory::read_if_there(room, va_arg(arguments, char const*), sizeof room - 1);
    va_end(arguments);
  }
  room[bytes] = '\0';
  control::obey(meaning.wish, bytes > 0 ? room : nullptr);
  return PMPI_Pcontrol(level);
}

COMMPROF_EXPORT int MPI_Comm_set_name(MPI_Comm comm, char const* comm_name) {
  Call call;
  int const returned = next::MPI_Comm_set_name(comm, comm_name);
  if (call.is_kept() && call.error(returned) == MPI_SUCCESS) communicators::named(comm, comm_name);
  return returned;
}
}
