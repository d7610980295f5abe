// The bytes that a call moves on this process: the rules that the call table names, for messages between two processes,
// one-sided calls and files. collective_volume.hpp has the rules of collectives.
//
// A volume counts the bytes sent and the bytes that arrived, with the standard's meaning of MPI_PROC_NULL. Sizes are
// those of the data, without the gaps of a derived datatype. Counts may be int or MPI_Count.
#pragma once

#include "comm_naming/comm_naming.hpp"
#include "counters/counters.hpp"
#include "mpi/mpi.hpp"
#include "mpi/type_sizes.hpp"
#include "wrappers/arrived.hpp"

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

inline Volume receive(CommView const&, MPI_Status const* status) { return {0, arrived(status)}; }

template <class Count>
inline Volume sendrecv(CommView const& comm, Count sendcount, MPI_Datatype sendtype, int dest,
                       MPI_Status const* status) {
  return {send(comm, sendcount, sendtype, dest).sent, arrived(status)};
}

// Uses the posted size: MPICH 4.0.2 does not set the status of the completion.
template <class Count>
inline Volume isendrecv(CommView const& comm, Count sendcount, MPI_Datatype sendtype, int dest, Count recvcount,
                        MPI_Datatype recvtype, int source) {
  return {send(comm, sendcount, sendtype, dest).sent, send(comm, recvcount, recvtype, source).sent};
}

// MPI-IO: the bytes written, from the status of the write.
inline Volume written(CommView const&, MPI_Status const* status) { return {arrived(status), 0}; }

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

}  // namespace commprof::volume
