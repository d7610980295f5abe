// The libraries for programs in Fortran: see floor.hpp. They forward to the MPI's own functions with the same symbols,
// and identify communicators, datatypes and requests by their integers.
#include <dlfcn.h>

#include "floor.hpp"

namespace {

// The MPI's own functions, looked up when MPI is initialised.
struct Forwarded {
  char const* symbol;
  void* address = nullptr;

  template <class... Arguments>
  [[gnu::always_inline]] int operator()(Arguments... arguments) const {
    reinterpret_cast<void (*)(Arguments...)>(address)(arguments...);
    return MPI_SUCCESS;
  }
};
Forwarded next_dup{"mpi_comm_dup_"}, next_send{"mpi_send_"}, next_bcast{"mpi_bcast_"}, next_allreduce{"mpi_allreduce_"},
    next_irecv{"mpi_irecv_"}, next_isend{"mpi_isend_"}, next_wait{"mpi_wait_"}, next_waitall{"mpi_waitall_"};
MPI_Fint null_request;

std::uint64_t key_of_comm(MPI_Comm comm) { return static_cast<std::uint64_t>(PMPI_Comm_c2f(comm)); }

[[gnu::always_inline]] inline Comm& of(MPI_Fint const* comm) {
  return comm_of(static_cast<std::uint64_t>(*comm), [comm] { return PMPI_Comm_f2c(*comm); });
}

[[gnu::always_inline]] inline std::uint64_t bytes(MPI_Fint const* items, MPI_Fint const* type) {
  return bytes_of(*items, static_cast<std::uint64_t>(*type), [type] { return PMPI_Type_f2c(*type); });
}

// Never 0, which marks a free entry.
std::uint64_t key_of_request(MPI_Fint request) { return static_cast<std::uint32_t>(request) + std::uint64_t{1}; }

// Fortran's statuses have the layout of C's.
MPI_Status* status_or(void* given, MPI_Status* own) {
  bool const is_ignored = given == MPI_F_STATUS_IGNORE || given == MPI_F_STATUSES_IGNORE;
  return is_ignored && !stamps_only ? own : static_cast<MPI_Status*>(given);
}

}  // namespace

extern "C" {

void mpi_init_(MPI_Fint* error) {
  reinterpret_cast<void (*)(MPI_Fint*)>(dlsym(RTLD_NEXT, "mpi_init_"))(error);
  for (Forwarded* next :
       {&next_dup, &next_send, &next_bcast, &next_allreduce, &next_irecv, &next_isend, &next_wait, &next_waitall})
    next->address = dlsym(RTLD_NEXT, next->symbol);
  null_request = PMPI_Request_c2f(MPI_REQUEST_NULL);
  prepare(key_of_comm);
}
void mpi_comm_dup_(MPI_Fint* comm, MPI_Fint* made, MPI_Fint* error) {
  next_dup(comm, made, error);
  take_in(PMPI_Comm_f2c(*made), static_cast<std::uint64_t>(*made));
}

void mpi_send_(void* data, MPI_Fint* items, MPI_Fint* type, MPI_Fint* to, MPI_Fint* tag, MPI_Fint* comm,
               MPI_Fint* error) {
  stamped([&] { return next_send(data, items, type, to, tag, comm, error); },
          [&](Interval took) {
            std::uint64_t const sent = bytes(items, type);
            count(of(comm), send, sent, took);
            count_sent(*to, sent);
          });
}
void mpi_bcast_(void* data, MPI_Fint* items, MPI_Fint* type, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* error) {
  stamped([&] { return next_bcast(data, items, type, root, comm, error); },
          [&](Interval took) { count(of(comm), bcast, bytes(items, type), took); });
}
void mpi_allreduce_(void* data, void* sum, MPI_Fint* items, MPI_Fint* type, MPI_Fint* operation, MPI_Fint* comm,
                    MPI_Fint* error) {
  stamped([&] { return next_allreduce(data, sum, items, type, operation, comm, error); },
          [&](Interval took) { count(of(comm), allreduce, bytes(items, type), took); });
}
void mpi_irecv_(void* data, MPI_Fint* items, MPI_Fint* type, MPI_Fint* from, MPI_Fint* tag, MPI_Fint* comm,
                MPI_Fint* request, MPI_Fint* error) {
  stamped([&] { return next_irecv(data, items, type, from, tag, comm, request, error); },
          [&](Interval took) {
            if (stamps_only) count(comms[0], irecv, 0, took);
            follow(request, key_of_request(*request), of(comm), took, true);
          });
}
void mpi_isend_(void* data, MPI_Fint* items, MPI_Fint* type, MPI_Fint* to, MPI_Fint* tag, MPI_Fint* comm,
                MPI_Fint* request, MPI_Fint* error) {
  stamped([&] { return next_isend(data, items, type, to, tag, comm, request, error); },
          [&](Interval took) {
            Comm& known = of(comm);
            std::uint64_t const sent = bytes(items, type);
            count(known, isend, sent, took);
            count_sent(*to, sent);
            follow(request, key_of_request(*request), known, took, false);
          });
}
void mpi_wait_(MPI_Fint* request, void* given, MPI_Fint* error) {
  std::uint64_t const key = key_of_request(*request);
  MPI_Status own;
  MPI_Status* const status = status_or(given, &own);
  stamped([&] { return next_wait(request, status, error); },
          [&](Interval took) { count(completed(request, key, *request == null_request, status), wait, 0, took); });
}
// Counts on one communicator only: the loops use one.
void mpi_waitall_(MPI_Fint* items, MPI_Fint* request, void* given, MPI_Fint* error) {
  constexpr int most = 8;
  std::uint64_t keys[most];
  MPI_Status own[most];
  MPI_Status* const status = *items <= most ? status_or(given, own) : static_cast<MPI_Status*>(given);
  int const followed = stamps_only ? 0 : std::min(*items, most);
  for (int i = 0; i < followed; ++i) keys[i] = key_of_request(request[i]);
  stamped([&] { return next_waitall(items, request, status, error); },
          [&](Interval took) {
            Comm* comm = &comms[0];
            for (int i = 0; i < followed; ++i)
              comm = &completed(&request[i], keys[i], request[i] == null_request, &status[i]);
            count(*comm, waitall, 0, took);
          });
}

}  // extern "C"
