// Two libraries that bench/run measures beside the profiler, so that one sees how much of a cost could be saved at all.
// Both stamp a call twice and do four additions. Requests are not followed to their communicator.
//
//   bench_floor    counts by communicator and size, and asks MPI for both, as any profiler by communicator has to that
//                  remembers nothing from one call to the next
//   bench_stamps   counts by operation only: less than any profiler does (STAMPS_ONLY)
#include <mpi.h>
#include <x86intrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace {

#ifdef STAMPS_ONLY
constexpr bool stamps_only = true;
#else
constexpr bool stamps_only = false;
#endif

enum Op { send, recv, bcast, allreduce, irecv, isend, wait, waitall, test, iprobe, op_count };

struct Record {
  std::uint64_t calls, bytes, ticks, longest;
};
using CommRecords = std::array<std::array<Record, 65>, op_count>;

std::array<CommRecords, 256> comm_records;
std::size_t comms;
int keyval = MPI_KEYVAL_INVALID;

[[gnu::always_inline]] inline void add(Record& record, std::uint64_t bytes, std::uint64_t ticks) {
  record.calls++;
  record.bytes += bytes;
  record.ticks += ticks;
  record.longest = std::max(record.longest, ticks);
}

[[gnu::always_inline]] inline CommRecords* records_of(MPI_Comm comm) {
  if (stamps_only) return &comm_records[0];
  void* records = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, keyval, &records, &found);
  return found ? static_cast<CommRecords*>(records) : &comm_records[0];
}

[[gnu::always_inline]] inline void count(Op op, MPI_Comm comm, int items, MPI_Datatype type, std::uint64_t ticks) {
  if (stamps_only) return add(comm_records[0][op][0], 0, ticks);
  int size = 0;
  PMPI_Type_size(type, &size);
  std::uint64_t const bytes = static_cast<std::uint64_t>(items) * static_cast<std::uint64_t>(size);
  add((*records_of(comm))[op][static_cast<std::size_t>(std::bit_width(bytes))], bytes, ticks);
}

void take_in(MPI_Comm comm) {
  if (comms < comm_records.size()) PMPI_Comm_set_attr(comm, keyval, &comm_records[comms++]);
}

int prepare(int result) {
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  take_in(MPI_COMM_WORLD);
  take_in(MPI_COMM_SELF);
  return result;
}

// Stamps a call and hands on its result.
template <class ForwardedCall, class Count>
[[gnu::always_inline]] inline int stamped(ForwardedCall call, Count counted) {
  std::uint64_t const start = __rdtsc();
  int const result = call();
  counted(__rdtsc() - start);
  return result;
}

[[gnu::always_inline]] inline auto without_comm(Op op) {
  return [op](std::uint64_t ticks) { add(comm_records[0][op][0], 0, ticks); };
}

}  // namespace

extern "C" {

int MPI_Init(int* argc, char*** argv) { return prepare(PMPI_Init(argc, argv)); }
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return prepare(PMPI_Init_thread(argc, argv, required, provided));
}
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  int const result = PMPI_Comm_dup(comm, made);
  take_in(*made);
  return result;
}

int MPI_Send(void const* data, int items, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return stamped([&] { return PMPI_Send(data, items, type, to, tag, comm); },
                 [&](std::uint64_t ticks) { count(send, comm, items, type, ticks); });
}
int MPI_Recv(void* data, int items, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  return stamped([&] { return PMPI_Recv(data, items, type, from, tag, comm, status); },
                 [&](std::uint64_t ticks) { count(recv, comm, items, type, ticks); });
}
int MPI_Bcast(void* data, int items, MPI_Datatype type, int root, MPI_Comm comm) {
  return stamped([&] { return PMPI_Bcast(data, items, type, root, comm); },
                 [&](std::uint64_t ticks) { count(bcast, comm, items, type, ticks); });
}
int MPI_Allreduce(void const* data, void* sum, int items, MPI_Datatype type, MPI_Op operation, MPI_Comm comm) {
  return stamped([&] { return PMPI_Allreduce(data, sum, items, type, operation, comm); },
                 [&](std::uint64_t ticks) { count(allreduce, comm, items, type, ticks); });
}
int MPI_Irecv(void* data, int items, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  return stamped([&] { return PMPI_Irecv(data, items, type, from, tag, comm, request); },
                 [&](std::uint64_t ticks) { count(irecv, comm, items, type, ticks); });
}
int MPI_Isend(void const* data, int items, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  return stamped([&] { return PMPI_Isend(data, items, type, to, tag, comm, request); },
                 [&](std::uint64_t ticks) { count(isend, comm, items, type, ticks); });
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return stamped([&] { return PMPI_Wait(request, status); }, without_comm(wait));
}
int MPI_Waitall(int requests, MPI_Request* request, MPI_Status* status) {
  return stamped([&] { return PMPI_Waitall(requests, request, status); }, without_comm(waitall));
}
int MPI_Test(MPI_Request* request, int* complete, MPI_Status* status) {
  return stamped([&] { return PMPI_Test(request, complete, status); }, without_comm(test));
}
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* found, MPI_Status* status) {
  return stamped([&] { return PMPI_Iprobe(from, tag, comm, found, status); },
                 [&](std::uint64_t ticks) { add((*records_of(comm))[iprobe][0], 0, ticks); });
}

}  // extern "C"
