// What the libraries consist of that bench/run measures beside the profiler, so that one sees how much of a cost could
// be saved at all. They wrap only what the loops call in C.
//
//   floor    counts calls, bytes, time (sum, least, most, last) by communicator, operation and size, messages by
//            destination, and tracks requests to their communicators, with the bytes that arrived, in the simplest
//            tables possible: each direct-mapped, a collision overwrites. It knows no names, regions, threads, freed
//            handles, errors or nested calls: the minimum for a profile by communicator.
//   stamps   stamps twice and does four additions, by operation and thread only: less than any profiler does
//            (STAMPS_ONLY)
#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/counter.h"
#include "mpi/mpi.hpp"

namespace {

using commprof::arrived_bytes;

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
  std::uint64_t key;  // the bits of its handle
  std::array<std::array<Record, 65>, op_count> records;
};
struct Request {
  std::uint64_t key;  // the bits of its handle; 0: free
  Comm* comm;
  Interval issue;
  bool receives;  // counted at completion, with the bytes that have arrived
};
struct Peer {
  std::uint64_t messages, bytes;
};

std::array<Comm, 256> comms;
std::size_t comms_in_use = 1;  // comms[0]: for calls on unknown communicators
Comm* spare = nullptr;         // entry of the communicator freed last
std::array<Comm*, 1024> comm_of_key;
std::array<Request, 1024> requests;
std::array<Peer, 1024> peers;
std::uint64_t known_type = UINT64_MAX;
std::uint64_t size_of_known_type;
int keyval = MPI_KEYVAL_INVALID;

template <class Handle>
std::uint64_t bits_of(Handle handle) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &handle, sizeof handle);
  return bits;
}

Comm*& place_of(std::uint64_t comm) { return comm_of_key[comm * 0x9E3779B97F4A7C15ULL >> 54]; }

[[gnu::always_inline]] inline Comm& of(MPI_Comm comm) {
  if (stamps_only) return comms[0];
  std::uint64_t const key = bits_of(comm);
  Comm*& known = place_of(key);
  if (known != nullptr && known->key == key) [[likely]]
    return *known;
  void* found = nullptr;
  int is_found = 0;
  PMPI_Comm_get_attr(comm, keyval, &found, &is_found);
  if (is_found == 0) return comms[0];
  known = static_cast<Comm*>(found);
  return *known;
}

Request& request_in(void const* variable) {
  return requests[reinterpret_cast<std::uintptr_t>(variable) / sizeof(int) % requests.size()];
}

[[gnu::always_inline]] inline std::uint64_t bytes(int items, MPI_Datatype type) {
  if (stamps_only) return 0;
  if (bits_of(type) != known_type) [[unlikely]] {
    int size = 0;
    PMPI_Type_size(type, &size);
    known_type = bits_of(type);
    size_of_known_type = static_cast<std::uint64_t>(size);
  }
  return static_cast<std::uint64_t>(items) * size_of_known_type;
}

void take_in(MPI_Comm handle) {
  if (stamps_only || (spare == nullptr && comms_in_use == comms.size())) return;
  Comm& comm = spare != nullptr ? *spare : comms[comms_in_use++];
  spare = nullptr;
  comm.key = bits_of(handle);
  PMPI_Comm_set_attr(handle, keyval, &comm);
}

int forget(MPI_Comm, int, void* comm, void*) {
  spare = static_cast<Comm*>(comm);
  place_of(spare->key) = nullptr;
  return MPI_SUCCESS;
}

void prepare() {
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, nullptr);
  take_in(MPI_COMM_WORLD);
  take_in(MPI_COMM_SELF);
}

// Stamps a call, counts it with the result of the rule, and returns the call's result.
template <class ForwardedCall, class Count>
[[gnu::always_inline]] inline int stamped(ForwardedCall call, Count count) {
  std::uint64_t const start = commprof_counter();
  int const result = call();
  std::uint64_t const end = commprof_counter();
  count(Interval{end - start, end});
  return result;
}

// The only counters of the library that does no more than stamp. They are thread-local, so threads share no memory.
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

[[gnu::always_inline]] inline void follow(void const* variable, std::uint64_t key, Comm& comm, Interval issue,
                                          bool receives) {
  if (!stamps_only) request_in(variable) = {key, &comm, issue, receives};
}

// The communicator of a request that had this key before the call, and has lost it if the request is complete.
[[gnu::always_inline]] inline Comm& completed(void const* variable, std::uint64_t key, bool is_complete,
                                              MPI_Status const* status) {
  if (stamps_only) return comms[0];
  Request& request = request_in(variable);
  if (request.key != key) return comms[0];
  if (is_complete) {
    request.key = 0;
    if (request.receives) count(*request.comm, irecv, arrived_bytes(status), request.issue);
  }
  return *request.comm;
}

// The status to pass to MPI: the program's, or one of the library's own, because it says how much has arrived.
MPI_Status* status_or(MPI_Status* given, MPI_Status* own) {
  return given == MPI_STATUS_IGNORE && !stamps_only ? own : given;
}

}  // namespace

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  int const result = PMPI_Init(argc, argv);
  prepare();
  return result;
}
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  int const result = PMPI_Init_thread(argc, argv, required, provided);
  prepare();
  return result;
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  return stamped([&] { return PMPI_Comm_dup(comm, made); },
                 [&](Interval took) {
                   count(of(comm), creation, 0, took);
                   take_in(*made);
                 });
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return stamped([&] { return PMPI_Comm_split(comm, color, key, made); },
                 [&](Interval took) {
                   count(of(comm), creation, 0, took);
                   take_in(*made);
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
