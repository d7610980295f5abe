// The libraries that measure the least cost, for programs in C: see floor.hpp.
#include "floor.hpp"

namespace {

[[gnu::always_inline]] inline Comm& of(MPI_Comm comm) {
  return comm_of(bits_of(comm), [comm] { return comm; });
}

[[gnu::always_inline]] inline std::uint64_t bytes(int items, MPI_Datatype type) {
  return bytes_of(items, bits_of(type), [type] { return type; });
}

// The status to pass to MPI: the program's, or one of the library's own, because it says how much has arrived.
MPI_Status* status_or(MPI_Status* given, MPI_Status* own) {
  return given == MPI_STATUS_IGNORE && !stamps_only ? own : given;
}

}  // namespace

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  int const result = PMPI_Init(argc, argv);
  prepare(bits_of<MPI_Comm>);
  return result;
}
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  int const result = PMPI_Init_thread(argc, argv, required, provided);
  prepare(bits_of<MPI_Comm>);
  return result;
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  return stamped([&] { return PMPI_Comm_dup(comm, made); },
                 [&](Interval took) {
                   count(of(comm), creation, 0, took);
                   take_in(*made, bits_of(*made));
                 });
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return stamped([&] { return PMPI_Comm_split(comm, color, key, made); },
                 [&](Interval took) {
                   count(of(comm), creation, 0, took);
                   take_in(*made, bits_of(*made));
                 });
}
int MPI_Comm_free(MPI_Comm* comm) {
  Comm& known = of(*comm);
  return stamped([&] { return PMPI_Comm_free(comm); }, [&](Interval took) { count(known, release, 0, took); });
}

int MPI_Send(void const* data, int items, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return stamped([&] { return PMPI_Send(data, items, type, to, tag, comm); },
                 [&](Interval took) {
                   std::uint64_t const sent = bytes(items, type);
                   count(of(comm), send, sent, took);
                   count_sent(to, sent);
                 });
}
int MPI_Recv(void* data, int items, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Status own;
  status = status_or(status, &own);
  return stamped([&] { return PMPI_Recv(data, items, type, from, tag, comm, status); },
                 [&](Interval took) { count(of(comm), recv, stamps_only ? 0 : arrived_bytes(status), took); });
}
int MPI_Bcast(void* data, int items, MPI_Datatype type, int root, MPI_Comm comm) {
  return stamped([&] { return PMPI_Bcast(data, items, type, root, comm); },
                 [&](Interval took) { count(of(comm), bcast, bytes(items, type), took); });
}
int MPI_Allreduce(void const* data, void* sum, int items, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  return stamped([&] { return PMPI_Allreduce(data, sum, items, type, operation, comm); },
                 [&](Interval took) { count(of(comm), allreduce, bytes(items, type), took); });
}
int MPI_Irecv(void* data, int items, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  return stamped([&] { return PMPI_Irecv(data, items, type, from, tag, comm, request); },
                 [&](Interval took) {
                   if (stamps_only) count(comms[0], irecv, 0, took);
                   follow(request, bits_of(*request), of(comm), took, true);
                 });
}
int MPI_Isend(void const* data, int items, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  return stamped([&] { return PMPI_Isend(data, items, type, to, tag, comm, request); },
                 [&](Interval took) {
                   Comm& known = of(comm);
                   std::uint64_t const sent = bytes(items, type);
                   count(known, isend, sent, took);
                   count_sent(to, sent);
                   follow(request, bits_of(*request), known, took, false);
                 });
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  std::uint64_t const key = bits_of(*request);
  MPI_Status own;
  status = status_or(status, &own);
  return stamped(
      [&] { return PMPI_Wait(request, status); },
      [&](Interval took) { count(completed(request, key, *request == MPI_REQUEST_NULL, status), wait, 0, took); });
}
int MPI_Test(MPI_Request* request, int* complete, MPI_Status* status) {
  std::uint64_t const key = bits_of(*request);
  MPI_Status own;
  status = status_or(status, &own);
  return stamped(
      [&] { return PMPI_Test(request, complete, status); },
      [&](Interval took) { count(completed(request, key, *request == MPI_REQUEST_NULL, status), test, 0, took); });
}
// Counts on one communicator only: the loops use one.
int MPI_Waitall(int items, MPI_Request* request, MPI_Status* status) {
  constexpr int most = 128;
  std::uint64_t keys[most];
  MPI_Status own[most];
  if (!stamps_only && status == MPI_STATUSES_IGNORE && items <= most) status = own;
  int const followed = stamps_only ? 0 : std::min(items, most);
  std::transform(request, request + followed, keys, bits_of<MPI_Request>);
  return stamped([&] { return PMPI_Waitall(items, request, status); },
                 [&](Interval took) {
                   Comm* comm = &comms[0];
                   for (int i = 0; i < followed; ++i)
                     comm = &completed(&request[i], keys[i], request[i] == MPI_REQUEST_NULL, &status[i]);
                   count(*comm, waitall, 0, took);
                 });
}
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* found, MPI_Status* status) {
  return stamped([&] { return PMPI_Iprobe(from, tag, comm, found, status); },
                 [&](Interval took) { count(of(comm), iprobe, 0, took); });
}

}  // extern "C"
