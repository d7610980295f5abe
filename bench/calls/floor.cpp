// Two libraries that bench/run measures beside the profiler, so that one sees how much of a cost could be saved at all. Both
// wrap only what the loops call.
//
//   bench_floor    counts calls, bytes, time (sum, least, most, last) by communicator, operation and size, messages by
//                  destination, and follows requests to their communicators, with what arrived, from the simplest tables that
//                  can: each direct-mapped, what collides is overwritten. It knows no names, regions, threads, freed handles or
//                  errors, and no call within a call: what a profile by communicator cannot do without.
//   bench_stamps   stamps twice and does four additions, by operation and thread only: less than any profiler does (STAMPS_ONLY)
#include <mpi.h>
#include <x86intrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "wrappers/arrived.hpp"

namespace {

using commprof::volume::arrived;

#ifdef STAMPS_ONLY
constexpr bool stamps_only = true;
#else
constexpr bool stamps_only = false;
#endif

enum Op { send, recv, bcast, allreduce, irecv, isend, wait, waitall, test, iprobe, creation, release, op_count };

struct Interval {
  std::uint64_t ticks, end;
};

struct alignas(64) Record {
  std::uint64_t calls, bytes, ticks, longest, shortest = UINT64_MAX, last;

  void add(std::uint64_t size, Interval took) {
    ++calls;
    bytes += size;
    ticks += took.ticks;
    longest = std::max(longest, took.ticks);
    if (stamps_only) return;
    shortest = std::min(shortest, took.ticks);
    last = took.end;
  }
};

struct Comm {
  MPI_Comm handle;
  std::array<std::array<Record, 65>, op_count> records;
};
struct Request {
  MPI_Request handle;
  Comm* comm;
  Interval issue;
  bool receives;  // counts when it is complete, with the size of what has arrived
};
struct Peer {
  std::uint64_t messages, bytes;
};

std::array<Comm, 256> comms;
std::size_t comms_in_use = 1;  // comms[0]: of calls on no communicator that is known
Comm* spare = nullptr;         // of the communicator that was freed last
std::array<Comm*, 1024> comm_of_handle;
std::array<Request, 1024> requests;
std::array<Peer, 1024> peers;
MPI_Datatype known_type = MPI_DATATYPE_NULL;
std::uint64_t size_of_known_type;
int keyval = MPI_KEYVAL_INVALID;

std::uint64_t bits_of(auto handle) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &handle, sizeof handle);
  return bits;
}

[[gnu::always_inline]] inline Comm& comm_of(MPI_Comm handle) {
  if (stamps_only) return comms[0];
  Comm*& known = comm_of_handle[bits_of(handle) * 0x9E3779B97F4A7C15ULL >> 54];
  if (known != nullptr && known->handle == handle) [[likely]] return *known;
  void* found = nullptr;
  int is_found = 0;
  PMPI_Comm_get_attr(handle, keyval, &found, &is_found);
  if (is_found == 0) return comms[0];
  known = static_cast<Comm*>(found);
  return *known;
}

Request& request_in(MPI_Request const* variable) { return requests[reinterpret_cast<std::uintptr_t>(variable) / sizeof(int) % requests.size()]; }

[[gnu::always_inline]] inline std::uint64_t bytes_of(int items, MPI_Datatype type) {
  if (stamps_only) return 0;
  if (type != known_type) [[unlikely]] {
    int size = 0;
    PMPI_Type_size(type, &size);
    known_type = type;
    size_of_known_type = static_cast<std::uint64_t>(size);
  }
  return static_cast<std::uint64_t>(items) * size_of_known_type;
}

void take_in(MPI_Comm handle) {
  if (stamps_only || (spare == nullptr && comms_in_use == comms.size())) return;
  Comm& comm = spare != nullptr ? *spare : comms[comms_in_use++];
  spare = nullptr;
  comm.handle = handle;
  PMPI_Comm_set_attr(handle, keyval, &comm);
}

int forget(MPI_Comm handle, int, void* comm, void*) {
  spare = static_cast<Comm*>(comm);
  comm_of_handle[bits_of(handle) * 0x9E3779B97F4A7C15ULL >> 54] = nullptr;
  return MPI_SUCCESS;
}

int prepare(int result) {
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, nullptr);
  take_in(MPI_COMM_WORLD);
  take_in(MPI_COMM_SELF);
  return result;
}

// Stamps a call, counts it with the result of the rule, and hands on its result.
template <class ForwardedCall, class Count>
[[gnu::always_inline]] inline int stamped(ForwardedCall call, Count count) {
  std::uint64_t const start = __rdtsc();
  int const result = call();
  std::uint64_t const end = __rdtsc();
  count(Interval{end - start, end});
  return result;
}

// The only counters of what does no more than stamp: the threads of a process have nothing in common there.
[[gnu::tls_model("initial-exec")]] thread_local std::array<Record, op_count> of_thread;

[[gnu::always_inline]] inline void count(Comm& comm, Op op, std::uint64_t bytes, Interval took) {
  if (stamps_only) return of_thread[op].add(0, took);
  comm.records[op][static_cast<std::size_t>(std::bit_width(bytes))].add(bytes, took);
}

[[gnu::always_inline]] inline void count_sent(int to, std::uint64_t bytes) {
  if (stamps_only || to < 0) return;
  Peer& peer = peers[static_cast<std::size_t>(to) % peers.size()];
  peer.messages++;
  peer.bytes += bytes;
}

[[gnu::always_inline]] inline void follow(MPI_Request const* request, Comm& comm, Interval issue, bool receives) {
  if (!stamps_only) request_in(request) = {*request, &comm, issue, receives};
}

// The communicator of a request that had this handle before the call.
[[gnu::always_inline]] inline Comm& completed(MPI_Request const* variable, MPI_Request handle, MPI_Status const* status) {
  if (stamps_only) return comms[0];
  Request& request = request_in(variable);
  if (request.handle != handle) return comms[0];
  if (*variable == MPI_REQUEST_NULL) {
    request.handle = MPI_REQUEST_NULL;
    if (request.receives) count(*request.comm, irecv, arrived(status), request.issue);
  }
  return *request.comm;
}

// What is passed on in place of the program's, since what arrived is in it.
MPI_Status* status_or(MPI_Status* given, MPI_Status* own) { return given == MPI_STATUS_IGNORE && !stamps_only ? own : given; }

}  // namespace

extern "C" {

int MPI_Init(int* argc, char*** argv) { return prepare(PMPI_Init(argc, argv)); }
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return prepare(PMPI_Init_thread(argc, argv, required, provided));
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  return stamped([&] { return PMPI_Comm_dup(comm, made); },
                 [&](Interval took) {
                   count(comm_of(comm), creation, 0, took);
                   take_in(*made);
                 });
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return stamped([&] { return PMPI_Comm_split(comm, color, key, made); },
                 [&](Interval took) {
                   count(comm_of(comm), creation, 0, took);
                   take_in(*made);
                 });
}
int MPI_Comm_free(MPI_Comm* comm) {
  Comm& known = comm_of(*comm);
  return stamped([&] { return PMPI_Comm_free(comm); }, [&](Interval took) { count(known, release, 0, took); });
}

int MPI_Send(void const* data, int items, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return stamped([&] { return PMPI_Send(data, items, type, to, tag, comm); },
                 [&](Interval took) {
                   std::uint64_t const bytes = bytes_of(items, type);
                   count(comm_of(comm), send, bytes, took);
                   count_sent(to, bytes);
                 });
}
int MPI_Recv(void* data, int items, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Status own;
  status = status_or(status, &own);
  return stamped([&] { return PMPI_Recv(data, items, type, from, tag, comm, status); },
                 [&](Interval took) { count(comm_of(comm), recv, stamps_only ? 0 : arrived(status), took); });
}
int MPI_Bcast(void* data, int items, MPI_Datatype type, int root, MPI_Comm comm) {
  return stamped([&] { return PMPI_Bcast(data, items, type, root, comm); },
                 [&](Interval took) { count(comm_of(comm), bcast, bytes_of(items, type), took); });
}
int MPI_Allreduce(void const* data, void* sum, int items, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  return stamped([&] { return PMPI_Allreduce(data, sum, items, type, operation, comm); },
                 [&](Interval took) { count(comm_of(comm), allreduce, bytes_of(items, type), took); });
}
int MPI_Irecv(void* data, int items, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  return stamped([&] { return PMPI_Irecv(data, items, type, from, tag, comm, request); },
                 [&](Interval took) {
                   if (stamps_only) count(comms[0], irecv, 0, took);
                   follow(request, comm_of(comm), took, true);
                 });
}
int MPI_Isend(void const* data, int items, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  return stamped([&] { return PMPI_Isend(data, items, type, to, tag, comm, request); },
                 [&](Interval took) {
                   Comm& known = comm_of(comm);
                   std::uint64_t const bytes = bytes_of(items, type);
                   count(known, isend, bytes, took);
                   count_sent(to, bytes);
                   follow(request, known, took, false);
                 });
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  MPI_Request const handle = *request;
  MPI_Status own;
  status = status_or(status, &own);
  return stamped([&] { return PMPI_Wait(request, status); },
                 [&](Interval took) { count(completed(request, handle, status), wait, 0, took); });
}
int MPI_Test(MPI_Request* request, int* complete, MPI_Status* status) {
  MPI_Request const handle = *request;
  MPI_Status own;
  status = status_or(status, &own);
  return stamped([&] { return PMPI_Test(request, complete, status); },
                 [&](Interval took) { count(completed(request, handle, status), test, 0, took); });
}
// Counts once on the communicator of the requests: the loops have one.
int MPI_Waitall(int items, MPI_Request* request, MPI_Status* status) {
  constexpr int most = 128;
  MPI_Request handles[most];
  MPI_Status own[most];
  if (!stamps_only && status == MPI_STATUSES_IGNORE && items <= most) status = own;
  int const followed = stamps_only ? 0 : std::min(items, most);
  std::copy_n(request, followed, handles);
  return stamped([&] { return PMPI_Waitall(items, request, status); },
                 [&](Interval took) {
                   Comm* comm = &comms[0];
                   for (int i = 0; i < followed; ++i) comm = &completed(&request[i], handles[i], &status[i]);
                   count(*comm, waitall, 0, took);
                 });
}
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* found, MPI_Status* status) {
  return stamped([&] { return PMPI_Iprobe(from, tag, comm, found, status); },
                 [&](Interval took) { count(comm_of(comm), iprobe, 0, took); });
}

}  // extern "C"
