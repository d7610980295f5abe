// The table of the MPI calls: what each one means to a profile of communicators.
//
// A row gives a call's parameters by their names in the standard, in order; the generator takes their types from the mpi.h of
// the MPI that is built for. The rule says how many bytes a call moves: an expression over the parameters, one of the
// functions of volume.hpp (which takes the communicator first, left out here). A call with large counts, MPI_Send_c, is the
// row of the call without the suffix.
#pragma once

#include <array>
#include <string_view>

namespace commprof::calls {

enum class Kind {
  operation,     // communicates or synchronises on its parameter comm; with a parameter request, it only starts to
  receive,       // the same, and the bytes are those that the status, or later the completion, tells
  message,       // receives the matched message of its parameter message
  completing,    // of requests; the rule names a member function of Completion
  creation,      // makes newcomm out of comm
  release,       // gives up the communicator that comm points to
  by_hand,       // written out in special.cpp
};

// What a call does, for readers of the table; the order is that of the documentation.
enum class Family { point_to_point, collective, neighborhood, completion, communicator, environment };

struct Row {
  std::string_view name;  // without MPI_
  Family family;
  Kind kind;
  std::string_view parameters;
  std::string_view rule = "none()";
  char letter = 0;       // of a creation call in the names of communicators
  bool several = false;  // the call can make several communicators at once
};

using enum Kind;
using enum Family;

// clang-format off
inline constexpr Row rows[] = {
    {"Send",  point_to_point, operation, "buf count datatype dest tag comm", "send(count, datatype, dest)"},
    {"Bsend", point_to_point, operation, "buf count datatype dest tag comm", "send(count, datatype, dest)"},
    {"Ssend", point_to_point, operation, "buf count datatype dest tag comm", "send(count, datatype, dest)"},
    {"Rsend", point_to_point, operation, "buf count datatype dest tag comm", "send(count, datatype, dest)"},
    {"Recv",  point_to_point, receive,   "buf count datatype source tag comm status", "receive(status)"},
    {"Sendrecv", point_to_point, receive,
     "sendbuf sendcount sendtype dest sendtag recvbuf recvcount recvtype source recvtag comm status",
     "sendrecv(sendcount, sendtype, dest, status)"},
    {"Sendrecv_replace", point_to_point, receive, "buf count datatype dest sendtag source recvtag comm status",
     "sendrecv(count, datatype, dest, status)"},
    {"Isend",  point_to_point, operation, "buf count datatype dest tag comm request", "send(count, datatype, dest)"},
    {"Ibsend", point_to_point, operation, "buf count datatype dest tag comm request", "send(count, datatype, dest)"},
    {"Issend", point_to_point, operation, "buf count datatype dest tag comm request", "send(count, datatype, dest)"},
    {"Irsend", point_to_point, operation, "buf count datatype dest tag comm request", "send(count, datatype, dest)"},
    {"Irecv",  point_to_point, receive,   "buf count datatype source tag comm request"},
    {"Probe",   point_to_point, operation, "source tag comm status"},
    {"Iprobe",  point_to_point, operation, "source tag comm flag status"},
    {"Mprobe",  point_to_point, operation, "source tag comm message status"},
    {"Improbe", point_to_point, operation, "source tag comm flag message status"},
    {"Mrecv",   point_to_point, message,   "buf count datatype message status", "receive(status)"},
    {"Imrecv",  point_to_point, message,   "buf count datatype message request"},

    {"Barrier", collective, operation, "comm"},
    {"Bcast", collective, operation, "buffer count datatype root comm", "bcast(count, datatype, root)"},
    {"Gather", collective, operation, "sendbuf sendcount sendtype recvbuf recvcount recvtype root comm",
     "gather(sendbuf, sendcount, sendtype, recvcount, recvtype, root)"},
    {"Gatherv", collective, operation, "sendbuf sendcount sendtype recvbuf recvcounts displs recvtype root comm",
     "gatherv(sendbuf, sendcount, sendtype, recvcounts, recvtype, root)"},
    {"Scatter", collective, operation, "sendbuf sendcount sendtype recvbuf recvcount recvtype root comm",
     "scatter(sendcount, sendtype, recvbuf, recvcount, recvtype, root)"},
    {"Scatterv", collective, operation, "sendbuf sendcounts displs sendtype recvbuf recvcount recvtype root comm",
     "scatterv(sendcounts, sendtype, recvbuf, recvcount, recvtype, root)"},
    {"Allgather", collective, operation, "sendbuf sendcount sendtype recvbuf recvcount recvtype comm",
     "allgather(sendbuf, sendcount, sendtype, recvcount, recvtype)"},
    {"Allgatherv", collective, operation, "sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm",
     "allgatherv(sendbuf, sendcount, sendtype, recvcounts, recvtype)"},
    {"Alltoall", collective, operation, "sendbuf sendcount sendtype recvbuf recvcount recvtype comm",
     "alltoall(sendbuf, sendcount, sendtype, recvcount, recvtype)"},
    {"Alltoallv", collective, operation,
     "sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm",
     "alltoallv(sendbuf, sendcounts, sendtype, recvcounts, recvtype)"},
    {"Alltoallw", collective, operation,
     "sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm",
     "alltoallv(sendbuf, sendcounts, sendtypes, recvcounts, recvtypes)"},
    {"Reduce", collective, operation, "sendbuf recvbuf count datatype op root comm", "reduce(count, datatype, root)"},
    {"Allreduce", collective, operation, "sendbuf recvbuf count datatype op comm", "send_block(count, datatype)"},
    {"Reduce_scatter", collective, operation, "sendbuf recvbuf recvcounts datatype op comm",
     "receive_own_block(recvcounts, datatype)"},
    {"Reduce_scatter_block", collective, operation, "sendbuf recvbuf recvcount datatype op comm",
     "receive_block(recvcount, datatype)"},
    {"Scan", collective, operation, "sendbuf recvbuf count datatype op comm", "scan(count, datatype)"},
    {"Exscan", collective, operation, "sendbuf recvbuf count datatype op comm", "scan(count, datatype)"},

    {"Ibarrier", collective, operation, "comm request"},
    {"Ibcast", collective, operation, "buffer count datatype root comm request", "bcast(count, datatype, root)"},
    {"Igather", collective, operation, "sendbuf sendcount sendtype recvbuf recvcount recvtype root comm request",
     "gather(sendbuf, sendcount, sendtype, recvcount, recvtype, root)"},
    {"Igatherv", collective, operation,
     "sendbuf sendcount sendtype recvbuf recvcounts displs recvtype root comm request",
     "gatherv(sendbuf, sendcount, sendtype, recvcounts, recvtype, root)"},
    {"Iscatter", collective, operation, "sendbuf sendcount sendtype recvbuf recvcount recvtype root comm request",
     "scatter(sendcount, sendtype, recvbuf, recvcount, recvtype, root)"},
    {"Iscatterv", collective, operation,
     "sendbuf sendcounts displs sendtype recvbuf recvcount recvtype root comm request",
     "scatterv(sendcounts, sendtype, recvbuf, recvcount, recvtype, root)"},
    {"Iallgather", collective, operation, "sendbuf sendcount sendtype recvbuf recvcount recvtype comm request",
     "allgather(sendbuf, sendcount, sendtype, recvcount, recvtype)"},
    {"Iallgatherv", collective, operation, "sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm request",
     "allgatherv(sendbuf, sendcount, sendtype, recvcounts, recvtype)"},
    {"Ialltoall", collective, operation, "sendbuf sendcount sendtype recvbuf recvcount recvtype comm request",
     "alltoall(sendbuf, sendcount, sendtype, recvcount, recvtype)"},
    {"Ialltoallv", collective, operation,
     "sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm request",
     "alltoallv(sendbuf, sendcounts, sendtype, recvcounts, recvtype)"},
    {"Ialltoallw", collective, operation,
     "sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm request",
     "alltoallv(sendbuf, sendcounts, sendtypes, recvcounts, recvtypes)"},
    {"Ireduce", collective, operation, "sendbuf recvbuf count datatype op root comm request",
     "reduce(count, datatype, root)"},
    {"Iallreduce", collective, operation, "sendbuf recvbuf count datatype op comm request",
     "send_block(count, datatype)"},
    {"Ireduce_scatter", collective, operation, "sendbuf recvbuf recvcounts datatype op comm request",
     "receive_own_block(recvcounts, datatype)"},
    {"Ireduce_scatter_block", collective, operation, "sendbuf recvbuf recvcount datatype op comm request",
     "receive_block(recvcount, datatype)"},
    {"Iscan", collective, operation, "sendbuf recvbuf count datatype op comm request", "scan(count, datatype)"},
    {"Iexscan", collective, operation, "sendbuf recvbuf count datatype op comm request", "scan(count, datatype)"},

    {"Neighbor_allgather", neighborhood, operation, "sendbuf sendcount sendtype recvbuf recvcount recvtype comm",
     "neighbor_send(sendcount, sendtype)"},
    {"Neighbor_allgatherv", neighborhood, operation,
     "sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm", "neighbor_send(sendcount, sendtype)"},
    {"Neighbor_alltoall", neighborhood, operation, "sendbuf sendcount sendtype recvbuf recvcount recvtype comm",
     "neighbor_send(sendcount, sendtype)"},
    {"Neighbor_alltoallv", neighborhood, operation,
     "sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm",
     "neighbor_sendv(sendcounts, sendtype)"},
    {"Neighbor_alltoallw", neighborhood, operation,
     "sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm",
     "neighbor_sendw(sendcounts, sendtypes)"},
    {"Ineighbor_allgather", neighborhood, operation,
     "sendbuf sendcount sendtype recvbuf recvcount recvtype comm request", "neighbor_send(sendcount, sendtype)"},
    {"Ineighbor_allgatherv", neighborhood, operation,
     "sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm request",
     "neighbor_send(sendcount, sendtype)"},
    {"Ineighbor_alltoall", neighborhood, operation,
     "sendbuf sendcount sendtype recvbuf recvcount recvtype comm request", "neighbor_send(sendcount, sendtype)"},
    {"Ineighbor_alltoallv", neighborhood, operation,
     "sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm request",
     "neighbor_sendv(sendcounts, sendtype)"},
    {"Ineighbor_alltoallw", neighborhood, operation,
     "sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm request",
     "neighbor_sendw(sendcounts, sendtypes)"},

    {"Wait",     completion, completing, "request status", "all"},
    {"Test",     completion, completing, "request flag status", "all"},
    {"Waitall",  completion, completing, "count array_of_requests array_of_statuses", "all"},
    {"Testall",  completion, completing, "count array_of_requests flag array_of_statuses", "all"},
    {"Waitany",  completion, completing, "count array_of_requests index status", "any"},
    {"Testany",  completion, completing, "count array_of_requests index flag status", "any"},
    {"Waitsome", completion, completing,
     "incount array_of_requests outcount array_of_indices array_of_statuses", "some"},
    {"Testsome", completion, completing,
     "incount array_of_requests outcount array_of_indices array_of_statuses", "some"},
    {"Request_get_status", completion, completing, "request flag status", "none"},
    {"Request_free", completion, completing, "request", "released"},
    {"Cancel", completion, completing, "request", "cancelled"},

    {"Comm_dup", communicator, creation, "comm newcomm", "none()", 'd'},
    {"Comm_dup_with_info", communicator, creation, "comm info newcomm", "none()", 'd'},
    {"Comm_idup", communicator, creation, "comm newcomm request", "none()", 'd'},
    {"Comm_idup_with_info", communicator, creation, "comm info newcomm request", "none()", 'd'},
    {"Comm_split", communicator, creation, "comm color key newcomm", "none()", 's', true},
    {"Comm_split_type", communicator, creation, "comm split_type key info newcomm", "none()", 't', true},
    {"Comm_create", communicator, creation, "comm group newcomm", "none()", 'c', true},
    {"Comm_create_group", communicator, creation, "comm group tag newcomm", "none()", 'u', true},
    {"Cart_create", communicator, creation, "comm ndims dims periods reorder newcomm", "none()", 'a'},
    {"Cart_sub", communicator, creation, "comm remain_dims newcomm", "none()", 'b', true},
    {"Graph_create", communicator, creation, "comm nnodes index edges reorder newcomm", "none()", 'r'},
    {"Dist_graph_create", communicator, creation,
     "comm n sources degrees destinations weights info reorder newcomm", "none()", 'g'},
    {"Dist_graph_create_adjacent", communicator, creation,
     "comm indegree sources sourceweights outdegree destinations destweights info reorder newcomm", "none()", 'g'},
    {"Comm_free", communicator, release, "comm"},
    {"Comm_disconnect", communicator, release, "comm"},
    {"Comm_set_name", communicator, by_hand, "comm comm_name"},

    {"Init", environment, by_hand, "argc argv"},
    {"Init_thread", environment, by_hand, "argc argv required provided"},
    {"Finalize", environment, by_hand, ""},
    {"Pcontrol", environment, by_hand, "level"},
};
// clang-format on

// Calls that find nothing while they poll are counted apart from those that find something.
constexpr bool polls(Row const& row) {
  return row.parameters.find(" flag") != std::string_view::npos || row.name == "Testsome";
}

}  // namespace commprof::calls
