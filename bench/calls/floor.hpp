// What the libraries consist of that bench/run measures beside the profiler, so that one sees how much of a cost could
// be saved at all. They wrap only what the loops call, in C (floor.cpp) or in Fortran (floor_fortran.cpp).
//
//   floor    counts calls, bytes, time (sum, least, most, last) by communicator, operation and size, messages by
//            destination, and tracks requests to their communicators, with the bytes that arrived, in the simplest
//            tables possible: each direct-mapped, a collision overwrites. It knows no names, regions, threads, freed
//            handles, errors or nested calls: the minimum for a profile by communicator.
//   stamps   stamps twice and does four additions, by operation and thread only: less than any profiler does
//            (STAMPS_ONLY)
#pragma once

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
  std::uint64_t key;  // the bits of a handle in C, or an integer of Fortran
  std::array<std::array<Record, 65>, op_count> records;
};
struct Request {
  std::uint64_t key;  // the bits of a handle in C, or an integer of Fortran; 0: free
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

inline Comm*& place_of(std::uint64_t comm) { return comm_of_key[comm * 0x9E3779B97F4A7C15ULL >> 54]; }

// handle(): the communicator in C, called if the key does not suffice.
template <class Handle>
[[gnu::always_inline]] inline Comm& comm_of(std::uint64_t key, Handle handle) {
  if (stamps_only) return comms[0];
  Comm*& known = place_of(key);
  if (known != nullptr && known->key == key) [[likely]]
    return *known;
  void* found = nullptr;
  int is_found = 0;
  PMPI_Comm_get_attr(handle(), keyval, &found, &is_found);
  if (is_found == 0) return comms[0];
  known = static_cast<Comm*>(found);
  return *known;
}

inline Request& request_in(void const* variable) {
  return requests[reinterpret_cast<std::uintptr_t>(variable) / sizeof(int) % requests.size()];
}

template <class Handle>
[[gnu::always_inline]] inline std::uint64_t bytes_of(int items, std::uint64_t type, Handle handle) {
  if (stamps_only) return 0;
  if (type != known_type) [[unlikely]] {
    int size = 0;
    PMPI_Type_size(handle(), &size);
    known_type = type;
    size_of_known_type = static_cast<std::uint64_t>(size);
  }
  return static_cast<std::uint64_t>(items) * size_of_known_type;
}

inline void take_in(MPI_Comm handle, std::uint64_t key) {
  if (stamps_only || (spare == nullptr && comms_in_use == comms.size())) return;
  Comm& comm = spare != nullptr ? *spare : comms[comms_in_use++];
  spare = nullptr;
  comm.key = key;
  PMPI_Comm_set_attr(handle, keyval, &comm);
}

inline int forget(MPI_Comm, int, void* comm, void*) {
  spare = static_cast<Comm*>(comm);
  place_of(spare->key) = nullptr;
  return MPI_SUCCESS;
}

// key_of(): returns the key of the new communicator.
template <class KeyOf>
void prepare(KeyOf key_of) {
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, nullptr);
  take_in(MPI_COMM_WORLD, key_of(MPI_COMM_WORLD));
  take_in(MPI_COMM_SELF, key_of(MPI_COMM_SELF));
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

}  // namespace
