// The bytes that a call moves on this process: the rules that the call table names, for messages between two processes,
// one-sided calls, files and collectives.
//
// A volume counts the bytes sent and the bytes that arrived, with the standard's meaning of MPI_PROC_NULL. Sizes are
// those of the data, without the gaps of a derived datatype. Counts may be int or MPI_Count.
#pragma once

#include "base/dropped.hpp"
#include "comm_naming/comm_naming.hpp"
#include "counters/counters.hpp"
#include "message_waits/streams.hpp"
#include "mpi/mpi.hpp"
#include "mpi/type_sizes.hpp"
#include "wrappers/call.hpp"

namespace commprof::volume {

[[gnu::always_inline]] inline std::uint64_t datatype_bytes(MPI_Datatype datatype) {
  TypeSizes::Entry const& known = type_sizes.at(datatype);
  if (known.handle == handle_bits(datatype)) [[likely]]
    return known.bytes;
  return TypeSizes::ask(datatype);
}

template <class Count>
[[gnu::always_inline]] inline std::uint64_t bytes(Count count, MPI_Datatype datatype) {
  if (count <= 0) [[unlikely]]
    return 0;
  return static_cast<std::uint64_t>(count) * datatype_bytes(datatype);
}

inline Volume none(CommView const&) { return {}; }

template <class Count>
inline Volume send(CommView const&, Count count, MPI_Datatype datatype, int dest) {
  if (dest == MPI_PROC_NULL) [[unlikely]]
    return {};
  return {bytes(count, datatype), 0};
}

inline Volume receive(CommView const&, MPI_Status const* status) { return {0, arrived_bytes(status)}; }

template <class Count>
inline Volume sendrecv(CommView const& comm, Count sendcount, MPI_Datatype sendtype, int dest,
                       MPI_Status const* status) {
  return {send(comm, sendcount, sendtype, dest).sent, arrived_bytes(status)};
}

// Uses the posted size: MPICH 4.0.2 does not set the status of the completion.
template <class Count>
inline Volume isendrecv(CommView const& comm, Count sendcount, MPI_Datatype sendtype, int dest, Count recvcount,
                        MPI_Datatype recvtype, int source) {
  return {send(comm, sendcount, sendtype, dest).sent, send(comm, recvcount, recvtype, source).sent};
}

// MPI-IO: the bytes written, from the status of the write.
inline Volume written(CommView const&, MPI_Status const* status) { return {arrived_bytes(status), 0}; }

// One-sided calls, at the origin. An atomic operation sends its operand, unless that is unused, and receives the old
// value.
template <class Count>
inline Volume get(CommView const& comm, Count count, MPI_Datatype datatype, int target) {
  return {0, send(comm, count, datatype, target).sent};
}

template <class Count>
inline Volume get_accumulate(CommView const& comm, Count origin_count, MPI_Datatype origin_datatype, Count result_count,
                             MPI_Datatype result_datatype, MPI_Op op, int target) {
  return {op == MPI_NO_OP ? 0 : send(comm, origin_count, origin_datatype, target).sent,
          send(comm, result_count, result_datatype, target).sent};
}

// The sum over all partitions of one start.
inline Volume partitioned_send(CommView const& comm, int partitions, MPI_Count count, MPI_Datatype datatype, int dest) {
  return send(comm, partitions * count, datatype, dest);
}

// Collectives: how many bytes a collective moves on this process: its part of the lower bound on the volume, as the
// appendix of the mpisee paper defines it, with the meaning that the standard gives to MPI_IN_PLACE, MPI_PROC_NULL,
// MPI_ROOT and intercommunicators.

template <class Count>
inline std::uint64_t sum_of_blocks(Count const counts[], MPI_Datatype datatype, int blocks) {
  std::uint64_t elements = 0;
  for (int i = 0; i < blocks; ++i) elements += static_cast<std::uint64_t>(counts[i]);
  return elements == 0 ? 0 : elements * datatype_bytes(datatype);
}

template <class Count, class Datatypes>
inline std::uint64_t sum_of_blocks(Count const counts[], Datatypes const& datatypes, int blocks) {
  std::uint64_t sum = 0;
  for (int i = 0; i < blocks; ++i) sum += bytes(counts[i], datatypes[i]);
  return sum;
}

// Calls visit(i, rank) for each process that sends to this one in a neighbourhood collective, or receives from it, with
// its index among these. Skips MPI_PROC_NULL: neighbours beyond the edge of a grid, and gaps in a distributed graph.
template <class Visitor>
[[gnu::noinline]] void for_each_neighbour(CommView const& comm, Way way, Visitor&& visit) {
  int const topology = comm.topology();
  int in = 0, out = 0, weighted = 0;
  if (topology == MPI_CART && PMPI_Cartdim_get(comm.handle, &in) == MPI_SUCCESS) in *= 2;
  if (topology == MPI_GRAPH) PMPI_Graph_neighbors_count(comm.handle, comm.rank(), &in);
  if (topology == MPI_DIST_GRAPH) PMPI_Dist_graph_neighbors_count(comm.handle, &in, &out, &weighted);
  HeldMemory const memory(static_cast<std::size_t>(in + out) * sizeof(int));
  if (!memory) return dropped::count(Dropped::records);
  int* const ranks = memory->as<int>();
  if (topology == MPI_CART)
    for (int i = 0; i < in; i += 2) PMPI_Cart_shift(comm.handle, i / 2, 1, ranks + i, ranks + i + 1);
  if (topology == MPI_GRAPH) PMPI_Graph_neighbors(comm.handle, comm.rank(), in, ranks);
  if (topology == MPI_DIST_GRAPH)
    PMPI_Dist_graph_neighbors(comm.handle, in, ranks, MPI_UNWEIGHTED, out, ranks + in, MPI_UNWEIGHTED);
  bool const is_second = way == Way::out && topology == MPI_DIST_GRAPH;
  int const* const first = is_second ? ranks + in : ranks;
  int const count = is_second ? out : in;
  for (int i = 0; i < count; ++i)
    if (first[i] != MPI_PROC_NULL) visit(i, first[i]);
}

template <class Count>
inline Volume bcast(CommView const& comm, Count count, MPI_Datatype datatype, int root) {
  return {0, comm.is_root(root) || root == MPI_PROC_NULL ? 0 : bytes(count, datatype)};
}

// Rooted collectives in which each process sends one block; the root of an intercommunicator sends nothing.
template <class Count>
inline Volume reduce(CommView const& comm, Count count, MPI_Datatype datatype, int root) {
  bool const sends = root != MPI_PROC_NULL && !(comm.is_inter() && root == MPI_ROOT);
  return {sends ? bytes(count, datatype) : 0, 0};
}

// Whether the root's arrays of counts are significant on this process and have an entry for it. MPI_IN_PLACE says so,
// except where the buffer itself is not significant: on an intercommunicator.
inline bool has_own_block(CommView const& comm, int root) { return !comm.is_inter() && comm.is_root(root); }

template <class Count>
inline Volume gather(CommView const& comm, void const* sendbuf, Count sendcount, MPI_Datatype sendtype, Count recvcount,
                     MPI_Datatype recvtype, int root) {
  return sendbuf == MPI_IN_PLACE ? reduce(comm, recvcount, recvtype, root) : reduce(comm, sendcount, sendtype, root);
}

template <class Count>
inline Volume gatherv(CommView const& comm, void const* sendbuf, Count sendcount, MPI_Datatype sendtype,
                      Count const recvcounts[], MPI_Datatype recvtype, int root) {
  if (sendbuf != MPI_IN_PLACE) return reduce(comm, sendcount, sendtype, root);
  return has_own_block(comm, root) ? reduce(comm, recvcounts[comm.rank()], recvtype, root) : Volume{};
}

template <class Count>
inline Volume scatter(CommView const& comm, Count sendcount, MPI_Datatype sendtype, void const* recvbuf,
                      Count recvcount, MPI_Datatype recvtype, int root) {
  std::uint64_t const received = recvbuf == MPI_IN_PLACE ? reduce(comm, sendcount, sendtype, root).sent
                                                         : reduce(comm, recvcount, recvtype, root).sent;
  return {0, received};
}

template <class Count>
inline Volume scatterv(CommView const& comm, Count const sendcounts[], MPI_Datatype sendtype, void const* recvbuf,
                       Count recvcount, MPI_Datatype recvtype, int root) {
  if (recvbuf != MPI_IN_PLACE) return {0, reduce(comm, recvcount, recvtype, root).sent};
  return {0, has_own_block(comm, root) ? reduce(comm, sendcounts[comm.rank()], sendtype, root).sent : 0};
}

template <class Count>
inline Volume send_block(CommView const&, Count count, MPI_Datatype datatype) {
  return {bytes(count, datatype), 0};
}

template <class Count>
inline Volume receive_block(CommView const&, Count count, MPI_Datatype datatype) {
  return {0, bytes(count, datatype)};
}

template <class Count>
inline Volume receive_own_block(CommView const& comm, Count const counts[], MPI_Datatype datatype) {
  return {0, bytes(counts[comm.rank()], datatype)};
}

template <class Count>
inline Volume allgather(CommView const&, void const* sendbuf, Count sendcount, MPI_Datatype sendtype, Count recvcount,
                        MPI_Datatype recvtype) {
  return {sendbuf == MPI_IN_PLACE ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype), 0};
}

template <class Count>
inline Volume allgatherv(CommView const& comm, void const* sendbuf, Count sendcount, MPI_Datatype sendtype,
                         Count const recvcounts[], MPI_Datatype recvtype) {
  return {sendbuf == MPI_IN_PLACE ? bytes(recvcounts[comm.rank()], recvtype) : bytes(sendcount, sendtype), 0};
}

template <class Count>
inline Volume alltoall(CommView const& comm, void const* sendbuf, Count sendcount, MPI_Datatype sendtype,
                       Count recvcount, MPI_Datatype recvtype) {
  std::uint64_t const block = sendbuf == MPI_IN_PLACE ? bytes(recvcount, recvtype) : bytes(sendcount, sendtype);
  return {static_cast<std::uint64_t>(comm.remote_size()) * block, 0};
}

// types: one datatype for all blocks, or an array with one for each.
template <class Count, class Types>
inline Volume alltoallv(CommView const& comm, void const* sendbuf, Count const sendcounts[], Types sendtypes,
                        Count const recvcounts[], Types recvtypes) {
  int const blocks = comm.remote_size();
  return {sendbuf == MPI_IN_PLACE ? sum_of_blocks(recvcounts, recvtypes, blocks)
                                  : sum_of_blocks(sendcounts, sendtypes, blocks),
          0};
}

// Each process but the last sends one block.
template <class Count>
inline Volume scan(CommView const& comm, Count count, MPI_Datatype datatype) {
  return {comm.rank() + 1 == comm.size() ? 0 : bytes(count, datatype), 0};
}

template <class Count>
inline Volume neighbor_send(CommView const& comm, Count count, MPI_Datatype datatype) {
  std::uint64_t const block = bytes(count, datatype);
  std::uint64_t sent = 0;
  for_each_neighbour(comm, Way::out, [&](int, int) { sent += block; });
  return {sent, 0};
}

template <class Count>
inline Volume neighbor_sendv(CommView const& comm, Count const counts[], MPI_Datatype datatype) {
  std::uint64_t elements = 0;
  for_each_neighbour(comm, Way::out, [&](int i, int) { elements += static_cast<std::uint64_t>(counts[i]); });
  return {elements == 0 ? 0 : elements * datatype_bytes(datatype), 0};
}

template <class Count, class Datatypes>
inline Volume neighbor_sendw(CommView const& comm, Count const counts[], Datatypes const& datatypes) {
  std::uint64_t sent = 0;
  for_each_neighbour(comm, Way::out, [&](int i, int) { sent += bytes(counts[i], datatypes[i]); });
  return {sent, 0};
}

}  // namespace commprof::volume
