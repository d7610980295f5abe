// The Fortran forms of the calls whose wrappers are written by hand.
#include <string_view>

#include "commprof/commprof.h"
#include "finalize/run.hpp"
#include "wrappers/call.hpp"
#include "wrappers/export.hpp"
#include "wrappers/fortran.hpp"

using namespace commprof;

namespace {

void init(fortran::Next& next, void* ierror) {
  next(ierror);
  if (fortran::result(ierror) == MPI_SUCCESS) run::begin();
}

void init_thread(fortran::Next& next, void* required, void* provided, void* ierror) {
  next(required, provided, ierror);
  if (fortran::result(ierror) == MPI_SUCCESS) run::begin();
}

void finalize(fortran::Next& next, void* ierror) {
  run::end();
  next(ierror);
}

#if MPI_VERSION >= 4
void session_init(fortran::Next& next, void* info, void* errhandler, void* session, void* ierror) {
  Call call;
  next(info, errhandler, session, ierror);
  int const result = fortran::result(ierror);
  if (call) {
    call.stop();
    call.record(Op::Session_init, at_self(), result, volume::none);
  }
  if (result == MPI_SUCCESS) run::session_opened(PMPI_Session_f2c(fortran::integer(session)));
}

void session_finalize(fortran::Next& next, void* session, void* ierror) {
  run::session_closes(PMPI_Session_f2c(fortran::integer(session)));
  Call call;
  next(session, ierror);
  if (call) {
    call.stop();
    call.record(Op::Session_finalize, at_self(), fortran::result(ierror), volume::none);
  }
}
#endif

void pcontrol(fortran::Next& next, void* level) {
  run::control(fortran::integer(level));
  next(level);
}

void set_name(fortran::Next& next, void* comm, void* name, void* ierror, std::size_t length) {
  Call call;
  next(comm, name, ierror, length);
  if (!call || fortran::result(ierror) != MPI_SUCCESS) return;
  std::string_view text(static_cast<char const*>(name), length);
  std::size_t const last = text.find_last_not_of(' ');  // Fortran pads with blanks
  communicators::named(PMPI_Comm_f2c(fortran::integer(comm)), text.substr(0, last == text.npos ? 0 : last + 1));
}

}  // namespace

// One definition for each mangling of a symbol.
#define COMMPROF_FORTRAN(lower, upper, parameters, body, ...) \
  COMMPROF_FORTRAN_SYMBOL(lower, parameters, body, __VA_ARGS__) \
  COMMPROF_FORTRAN_SYMBOL(lower##_, parameters, body, __VA_ARGS__) \
  COMMPROF_FORTRAN_SYMBOL(lower##__, parameters, body, __VA_ARGS__) \
  COMMPROF_FORTRAN_SYMBOL(lower##_f08_, parameters, body, __VA_ARGS__) \
  COMMPROF_FORTRAN_SYMBOL(upper, parameters, body, __VA_ARGS__)
#define COMMPROF_FORTRAN_SYMBOL(symbol, parameters, body, ...) \
  COMMPROF_EXPORT void symbol parameters {                     \
    static constinit fortran::Next next(#symbol);              \
    body(next, __VA_ARGS__);                                   \
  }

extern "C" {
COMMPROF_FORTRAN(mpi_init, MPI_INIT, (void* ierror), init, ierror)
COMMPROF_FORTRAN(mpi_init_thread, MPI_INIT_THREAD, (void* required, void* provided, void* ierror), init_thread, required,
                 provided, ierror)
COMMPROF_FORTRAN(mpi_finalize, MPI_FINALIZE, (void* ierror), finalize, ierror)
COMMPROF_FORTRAN(mpi_pcontrol, MPI_PCONTROL, (void* level), pcontrol, level)
COMMPROF_FORTRAN(mpi_comm_set_name, MPI_COMM_SET_NAME, (void* comm, void* name, void* ierror, std::size_t length), set_name,
                 comm, name, ierror, length)
#if MPI_VERSION >= 4
COMMPROF_FORTRAN(mpi_session_init, MPI_SESSION_INIT, (void* info, void* errhandler, void* session, void* ierror), session_init,
                 info, errhandler, session, ierror)
COMMPROF_FORTRAN(mpi_session_finalize, MPI_SESSION_FINALIZE, (void* session, void* ierror), session_finalize, session, ierror)
#endif
}
