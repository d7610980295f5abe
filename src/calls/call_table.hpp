// The table of MPI calls: the meaning of each for a profile of communicators. As a table, it is longer than others.
//
// A row lists a call's parameters in order, by their names in the standard; the generator takes their types from the
// mpi.h of the MPI that it builds for. The rule gives the bytes that a call moves: an expression over the parameters,
// or a function of volume.hpp (whose first argument, the communicator, is omitted here). A call with large counts, such
// as MPI_Send_c, uses the row of the call without the suffix.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace commprof {

// The letters that stand for creation calls in the names of communicators: docs/design.md, Names.
enum class Letter : char {
  none = 0,
  dup = 'd',
  split = 's',
  split_type = 't',
  create = 'c',
  cart = 'a',
  cart_sub = 'b',
  graph = 'r',
  dist_graph = 'g',
  create_group = 'u',
  from_group = 'f',
  intercomm = 'i',
  merge = 'm',
  spawn = 'p',
  connect = 'x',
  foreign = 'U',
};

}  // namespace commprof

namespace commprof::calls {

// Unscoped enumerations, so that rows can name values without the type.
enum Kind {
  operation,           // communicates or synchronises; with a parameter request, it only starts to
  by_status,           // an operation whose status, or later completion, says how many bytes were moved
  completing,          // completes requests; the rule names a member function of Completion
  persistent,          // prepares a request, each start of which moves what the rule says
  persistent_receive,  // prepares a request; the completion of each start says how many bytes arrived
  start,               // starts persistent requests
  partition,           // marks or queries a part of the message of a partitioned request
  creation,            // makes newcomm out of comm
  window_creation,     // makes win out of comm
  file_opening,        // makes fh out of comm
  release,             // releases the communicator, window or file that its parameter points to
  by_hand,             // its wrapper is written by hand in special.cpp and fortran.cpp
  in_callback,         // needs no wrapper: MPI calls the profiler in it
};

// The communicator that a call is attributed to.
enum On {
  on_comm,    // the parameter comm
  on_dest,    // the parameter comm; the call sends a message to the parameter dest
  on_window,  // the communicator that the parameter win was made from
  on_target,  // the communicator that the parameter win was made from; the call moves data of the parameter target_rank
  on_opened_file,  // the communicator that the parameter fh was opened on
  on_message,      // the communicator that the parameter message was matched on
  on_requests,     // the communicators of the call's requests
  on_self,         // MPI_COMM_SELF: the call concerns only this process
  on_world,        // MPI_COMM_WORLD: the call gets a group instead of a communicator
};

// The category of a call, for readers of the table; in the order of the documentation.
enum Family { point_to_point, collective, neighborhood, completion, communicator, one_sided, file, environment };

// The members of its communicator, window or file that a collective call waits for, or the completion of its request:
// it cannot end before they have entered it. Calls that wait for somebody are counted by all members.
enum class WaitsFor : std::uint8_t {
  nobody,    // waits for nobody, or no member counts it
  all,       // all members
  some,      // it depends on more than the call
  root,      // the root, which itself waits for nobody
  all_root,  // the root waits for all members, other members for nobody
};

struct Row {
  std::string_view name;  // without MPI_
  Family family;
  Kind kind;
  On on;
  std::string_view parameters;
  std::string_view rule = "none()";
  Letter letter = Letter::none;  // of a creation call, in names of communicators
  bool several = false;          // the call can make several communicators at once
  bool polls = false;            // the call polls; calls that find nothing are counted separately
  bool spawns = false;           // the call starts processes
  bool buffers = false;          // the call sends from a buffer, and so waits for no receive
  bool ends = false;             // the call ends MPI, or a session
  WaitsFor waits_for = WaitsFor::nobody;
};

// Whether a list of words, which spaces separate, has this one.
constexpr bool has_word(std::string_view all, std::string_view word) {
  for (std::size_t at = all.find(word); at != all.npos; at = all.find(word, at + 1)) {
    std::size_t const end = at + word.size();
    if ((at == 0 || all[at - 1] == ' ') && (end == all.size() || all[end] == ' ')) return true;
  }
  return false;
}

constexpr bool has_parameter(Row const& row, std::string_view name) { return has_word(row.parameters, name); }

// Whether the call sends a message, or prepares to.
constexpr bool sends(Row const& row) { return row.family == Family::point_to_point && has_parameter(row, "dest"); }

// Whether a process may wait in the call for requests, or in a loop of such calls. A call that releases or cancels one
// has no status; one that only looks at it does not complete it.
constexpr bool waits_for_requests(Row const& row) {
  bool const has_status = has_parameter(row, "status") || has_parameter(row, "array_of_statuses");
  return row.kind == completing && has_status && !row.rule.starts_with("seen");
}

// Whether a process may wait for another's message in the call, or in a loop of such calls: receives, probes, Wait,
// Test.
constexpr bool waits_for_messages(Row const& row) {
  if (waits_for_requests(row)) return true;
  bool const from_somewhere = has_parameter(row, "source") || has_parameter(row, "message");
  return row.family == Family::point_to_point && from_somewhere && !has_parameter(row, "request");
}

// Whether a process may wait in the call for a message to be sent. A matched message is sent already.
constexpr bool waits_for_senders(Row const& row) { return waits_for_messages(row) && row.on != on_message; }

// Whether a process may wait in the call for a receive to be posted.
constexpr bool waits_for_receivers(Row const& row) {
  return waits_for_requests(row) || (sends(row) && !row.buffers && !has_parameter(row, "request"));
}

// Whether ranks access a file together, or begin or end to do so.
constexpr bool joins_accesses(Row const& row) {
  auto const has = [&](std::string_view part) { return row.name.find(part) != row.name.npos; };
  return row.family == Family::file && (has("_all") || has("_ordered"));
}

// Whether all members of the communicator make the communicator, window or file, and nobody else.
constexpr bool is_made_by_members(Row const& row) {
  bool const makes = row.kind == creation || row.kind == window_creation || row.kind == file_opening;
  if (!makes || row.on != on_comm || row.spawns) return false;
  bool const is_of_others = has_parameter(row, "port_name") || has_parameter(row, "peer_comm");
  bool const is_of_group = has_parameter(row, "group") && has_parameter(row, "tag");
  return !is_of_others && !is_of_group;
}

// What the members of a collective call share. Calls on it are in one order on all of them: those on all windows, or
// files, of a communicator count as one sequence, since their members meet in them.
enum class Joint : std::uint8_t { communicator, window, file };
constexpr Joint joint_of(Row const& row) {
  return row.on == on_window ? Joint::window : row.on == on_opened_file ? Joint::file : Joint::communicator;
}

constexpr WaitsFor members_awaited(Row const& row) {
  if (row.waits_for != WaitsFor::nobody) return row.waits_for;
  if (is_made_by_members(row)) return WaitsFor::all;
  return joins_accesses(row) ? WaitsFor::some : WaitsFor::nobody;
}

// Whether no process leaves the call before all members have entered it: a barrier, or a collective call in which each
// has data for each. Those with a count for each process may have none.
constexpr bool aligns_members(Row const& row) {
  return row.family == collective && row.waits_for == WaitsFor::all && !has_parameter(row, "request") &&
         !has_parameter(row, "sendcounts") && !has_parameter(row, "recvcounts");
}
constexpr bool is_of_data(Row const& row) { return has_parameter(row, "recvbuf"); }

// Whether a process may wait in the call for members of its communicator to enter a collective call.
constexpr bool waits_for_members(Row const& row) {
  return waits_for_requests(row) || (members_awaited(row) != WaitsFor::nobody && !has_parameter(row, "request"));
}

// Whether the call waits until buffered messages have left their buffer, for which they may need their receivers.
constexpr bool empties_buffers(Row const& row) {
  if (row.family != Family::point_to_point || row.kind != operation) return false;
  for (std::string_view const of_messages : {"dest", "source", "message", "request"})
    if (has_parameter(row, of_messages)) return false;
  return true;
}

// Whether a process may wait in the call for other processes, but not for a message that it receives or a receive of
// one that it sends: collective calls, windows, files, buffers, the end of a session.
constexpr bool waits_for_others(Row const& row) {
  if (has_parameter(row, "request") || row.polls || row.kind == persistent) return false;
  switch (row.family) {
    case point_to_point:
      return empties_buffers(row);
    case environment:
      return row.ends;
    case collective:
    case neighborhood:
    case communicator:
      return true;
    case one_sided:
      return row.on != on_target;
    case file:
      return row.kind != by_status || joins_accesses(row);  // others are reads and writes of one process
    default:
      return false;
  }
}

constexpr bool is_collective(Row const& row) {
  return row.family == Family::collective || row.family == Family::neighborhood;
}

constexpr Row marked(bool Row::*fact, Row row) {
  row.*fact = true;
  return row;
}
constexpr Row polling(Row row) { return marked(&Row::polls, row); }
constexpr Row spawning(Row row) { return marked(&Row::spawns, row); }
constexpr Row buffering(Row row) { return marked(&Row::buffers, row); }
constexpr Row ending(Row row) { return marked(&Row::ends, row); }
constexpr Row waiting(WaitsFor whom, Row row) {
  row.waits_for = whom;
  return row;
}

// The rule of a call that controls the profile, names a communicator or sets its attributes.
inline constexpr std::string_view not_counted = "not counted";

// clang-format off
// A collective call in its three forms: blocking, nonblocking and persistent. whom: those that the first two wait for.
#define COMMPROF_COLLECTIVE(family, whom, name, nonblocking, parameters, rule) \
    waiting(WaitsFor::whom, {name, family, operation, on_comm, parameters, rule}), \
    waiting(WaitsFor::whom, {nonblocking, family, operation, on_comm, parameters " request", rule}), \
    {name "_init", family, persistent, on_comm, parameters " info request", rule}

inline constexpr Row rows[] = {
    {"Send",  point_to_point, operation, on_dest, "buf count datatype dest tag comm", "send(count, datatype, dest)"},
    buffering({"Bsend", point_to_point, operation, on_dest, "buf count datatype dest tag comm", "send(count, datatype, dest)"}),
    {"Ssend", point_to_point, operation, on_dest, "buf count datatype dest tag comm", "send(count, datatype, dest)"},
    {"Rsend", point_to_point, operation, on_dest, "buf count datatype dest tag comm", "send(count, datatype, dest)"},
    {"Recv",  point_to_point, by_status, on_comm,   "buf count datatype source tag comm status", "receive(status)"},
    {"Sendrecv", point_to_point, by_status, on_dest,
     "sendbuf sendcount sendtype dest sendtag recvbuf recvcount recvtype source recvtag comm status",
     "sendrecv(sendcount, sendtype, dest, status)"},
    {"Sendrecv_replace", point_to_point, by_status, on_dest, "buf count datatype dest sendtag source recvtag comm status",
     "sendrecv(count, datatype, dest, status)"},
    {"Isend",  point_to_point, operation, on_dest, "buf count datatype dest tag comm request", "send(count, datatype, dest)"},
    buffering({"Ibsend", point_to_point, operation, on_dest, "buf count datatype dest tag comm request", "send(count, datatype, dest)"}),
    {"Issend", point_to_point, operation, on_dest, "buf count datatype dest tag comm request", "send(count, datatype, dest)"},
    {"Irsend", point_to_point, operation, on_dest, "buf count datatype dest tag comm request", "send(count, datatype, dest)"},
    {"Irecv",  point_to_point, by_status, on_comm,   "buf count datatype source tag comm request"},
    {"Probe",   point_to_point, operation, on_comm, "source tag comm status"},
    polling({"Iprobe",  point_to_point, operation, on_comm, "source tag comm flag status"}),
    {"Mprobe",  point_to_point, operation, on_comm, "source tag comm message status"},
    polling({"Improbe", point_to_point, operation, on_comm, "source tag comm flag message status"}),
    {"Mrecv",   point_to_point, by_status, on_message,   "buf count datatype message status", "receive(status)"},
    {"Imrecv",  point_to_point, by_status, on_message,   "buf count datatype message request"},
    {"Isendrecv", point_to_point, operation, on_dest,
     "sendbuf sendcount sendtype dest sendtag recvbuf recvcount recvtype source recvtag comm request",
     "isendrecv(sendcount, sendtype, dest, recvcount, recvtype, source)"},
    {"Isendrecv_replace", point_to_point, operation, on_dest, "buf count datatype dest sendtag source recvtag comm request",
     "isendrecv(count, datatype, dest, count, datatype, source)"},
    {"Send_init", point_to_point, persistent, on_dest, "buf count datatype dest tag comm request",
     "send(count, datatype, dest)"},
    buffering({"Bsend_init", point_to_point, persistent, on_dest, "buf count datatype dest tag comm request",
     "send(count, datatype, dest)"}),
    {"Ssend_init", point_to_point, persistent, on_dest, "buf count datatype dest tag comm request",
     "send(count, datatype, dest)"},
    {"Rsend_init", point_to_point, persistent, on_dest, "buf count datatype dest tag comm request",
     "send(count, datatype, dest)"},
    {"Recv_init", point_to_point, persistent_receive, on_comm, "buf count datatype source tag comm request"},
    {"Start",    point_to_point, start, on_requests, "request"},
    {"Startall", point_to_point, start, on_requests, "count array_of_requests"},
    {"Psend_init", point_to_point, persistent, on_dest, "buf partitions count datatype dest tag comm info request",
     "partitioned_send(partitions, count, datatype, dest)"},
    {"Precv_init", point_to_point, persistent_receive, on_comm, "buf partitions count datatype source tag comm info request"},
    {"Pready",       point_to_point, partition, on_requests, "partition request"},
    {"Pready_range", point_to_point, partition, on_requests, "partition_low partition_high request"},
    {"Pready_list",  point_to_point, partition, on_requests, "length array_of_partitions request"},
    polling({"Parrived",     point_to_point, partition, on_requests, "request partition flag"}),
    {"Buffer_detach", point_to_point, operation, on_self, "buffer_addr size"},
    {"Comm_detach_buffer", point_to_point, operation, on_comm, "comm buffer_addr size"},
    {"Session_detach_buffer", point_to_point, operation, on_self, "session buffer_addr size"},
    {"Buffer_flush", point_to_point, operation, on_self, ""},
    {"Buffer_iflush", point_to_point, operation, on_self, "request"},
    {"Comm_flush_buffer", point_to_point, operation, on_comm, "comm"},
    {"Comm_iflush_buffer", point_to_point, operation, on_comm, "comm request"},
    {"Session_flush_buffer", point_to_point, operation, on_self, "session"},
    {"Session_iflush_buffer", point_to_point, operation, on_self, "session request"},

    COMMPROF_COLLECTIVE(collective, all, "Barrier", "Ibarrier", "comm", "none()"),
    COMMPROF_COLLECTIVE(collective, root, "Bcast", "Ibcast", "buffer count datatype root comm",
                        "bcast(count, datatype, root)"),
    COMMPROF_COLLECTIVE(collective, all_root, "Gather", "Igather",
                        "sendbuf sendcount sendtype recvbuf recvcount recvtype root comm",
                        "gather(sendbuf, sendcount, sendtype, recvcount, recvtype, root)"),
    COMMPROF_COLLECTIVE(collective, all_root, "Gatherv", "Igatherv",
                        "sendbuf sendcount sendtype recvbuf recvcounts displs recvtype root comm",
                        "gatherv(sendbuf, sendcount, sendtype, recvcounts, recvtype, root)"),
    COMMPROF_COLLECTIVE(collective, root, "Scatter", "Iscatter",
                        "sendbuf sendcount sendtype recvbuf recvcount recvtype root comm",
                        "scatter(sendcount, sendtype, recvbuf, recvcount, recvtype, root)"),
    COMMPROF_COLLECTIVE(collective, root, "Scatterv", "Iscatterv",
                        "sendbuf sendcounts displs sendtype recvbuf recvcount recvtype root comm",
                        "scatterv(sendcounts, sendtype, recvbuf, recvcount, recvtype, root)"),
    COMMPROF_COLLECTIVE(collective, all, "Allgather", "Iallgather",
                        "sendbuf sendcount sendtype recvbuf recvcount recvtype comm",
                        "allgather(sendbuf, sendcount, sendtype, recvcount, recvtype)"),
    COMMPROF_COLLECTIVE(collective, all, "Allgatherv", "Iallgatherv",
                        "sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm",
                        "allgatherv(sendbuf, sendcount, sendtype, recvcounts, recvtype)"),
    COMMPROF_COLLECTIVE(collective, all, "Alltoall", "Ialltoall",
                        "sendbuf sendcount sendtype recvbuf recvcount recvtype comm",
                        "alltoall(sendbuf, sendcount, sendtype, recvcount, recvtype)"),
    COMMPROF_COLLECTIVE(collective, all, "Alltoallv", "Ialltoallv",
                        "sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm",
                        "alltoallv(sendbuf, sendcounts, sendtype, recvcounts, recvtype)"),
    COMMPROF_COLLECTIVE(collective, all, "Alltoallw", "Ialltoallw",
                        "sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm",
                        "alltoallv(sendbuf, sendcounts, sendtypes, recvcounts, recvtypes)"),
    COMMPROF_COLLECTIVE(collective, all_root, "Reduce", "Ireduce", "sendbuf recvbuf count datatype op root comm",
                        "reduce(count, datatype, root)"),
    COMMPROF_COLLECTIVE(collective, all, "Allreduce", "Iallreduce", "sendbuf recvbuf count datatype op comm",
                        "send_block(count, datatype)"),
    COMMPROF_COLLECTIVE(collective, all, "Reduce_scatter", "Ireduce_scatter",
                        "sendbuf recvbuf recvcounts datatype op comm", "receive_own_block(recvcounts, datatype)"),
    COMMPROF_COLLECTIVE(collective, all, "Reduce_scatter_block", "Ireduce_scatter_block",
                        "sendbuf recvbuf recvcount datatype op comm", "receive_block(recvcount, datatype)"),
    COMMPROF_COLLECTIVE(collective, some, "Scan", "Iscan", "sendbuf recvbuf count datatype op comm",
                        "scan(count, datatype)"),
    COMMPROF_COLLECTIVE(collective, some, "Exscan", "Iexscan", "sendbuf recvbuf count datatype op comm",
                        "scan(count, datatype)"),
    COMMPROF_COLLECTIVE(neighborhood, some, "Neighbor_allgather", "Ineighbor_allgather",
                        "sendbuf sendcount sendtype recvbuf recvcount recvtype comm", "neighbor_send(sendcount, sendtype)"),
    COMMPROF_COLLECTIVE(neighborhood, some, "Neighbor_allgatherv", "Ineighbor_allgatherv",
                        "sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm", "neighbor_send(sendcount, sendtype)"),
    COMMPROF_COLLECTIVE(neighborhood, some, "Neighbor_alltoall", "Ineighbor_alltoall",
                        "sendbuf sendcount sendtype recvbuf recvcount recvtype comm", "neighbor_send(sendcount, sendtype)"),
    COMMPROF_COLLECTIVE(neighborhood, some, "Neighbor_alltoallv", "Ineighbor_alltoallv",
                        "sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm",
                        "neighbor_sendv(sendcounts, sendtype)"),
    COMMPROF_COLLECTIVE(neighborhood, some, "Neighbor_alltoallw", "Ineighbor_alltoallw",
                        "sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm",
                        "neighbor_sendw(sendcounts, sendtypes)"),

    {"Wait",     completion, completing, on_requests, "request status", "all"},
    polling({"Test",     completion, completing, on_requests, "request flag status", "all"}),
    {"Waitall",  completion, completing, on_requests, "count array_of_requests array_of_statuses", "all"},
    polling({"Testall",  completion, completing, on_requests, "count array_of_requests flag array_of_statuses", "all"}),
    {"Waitany",  completion, completing, on_requests, "count array_of_requests index status", "any"},
    polling({"Testany",  completion, completing, on_requests, "count array_of_requests index flag status", "any"}),
    {"Waitsome", completion, completing, on_requests,
     "incount array_of_requests outcount array_of_indices array_of_statuses", "some"},
    polling({"Testsome", completion, completing, on_requests,
     "incount array_of_requests outcount array_of_indices array_of_statuses", "some"}),
    polling({"Request_get_status", completion, completing, on_requests, "request flag status", "seen_all"}),
    polling({"Request_get_status_all", completion, completing, on_requests, "count array_of_requests flag array_of_statuses",
             "seen_all"}),
    polling({"Request_get_status_any", completion, completing, on_requests, "count array_of_requests index flag status", "seen_any"}),
    polling({"Request_get_status_some", completion, completing, on_requests,
             "incount array_of_requests outcount array_of_indices array_of_statuses", "seen_some"}),
    {"Request_free", completion, completing, on_requests, "request", "released"},
    {"Cancel", completion, completing, on_requests, "request", "cancelled"},

    {"Comm_dup", communicator, creation, on_comm, "comm newcomm", "none()", Letter::dup},
    {"Comm_dup_with_info", communicator, creation, on_comm, "comm info newcomm", "none()", Letter::dup},
    {"Comm_idup", communicator, creation, on_comm, "comm newcomm request", "none()", Letter::dup},
    {"Comm_idup_with_info", communicator, creation, on_comm, "comm info newcomm request", "none()", Letter::dup},
    {"Comm_split", communicator, creation, on_comm, "comm color key newcomm", "none()", Letter::split, true},
    {"Comm_split_type", communicator, creation, on_comm, "comm split_type key info newcomm", "none()", Letter::split_type, true},
    {"Comm_create", communicator, creation, on_comm, "comm group newcomm", "none()", Letter::create, true},
    {"Comm_create_group", communicator, creation, on_comm, "comm group tag newcomm", "none()", Letter::create_group, true},
    {"Cart_create", communicator, creation, on_comm, "comm ndims dims periods reorder newcomm", "none()", Letter::cart},
    {"Cart_sub", communicator, creation, on_comm, "comm remain_dims newcomm", "none()", Letter::cart_sub, true},
    {"Graph_create", communicator, creation, on_comm, "comm nnodes index edges reorder newcomm", "none()", Letter::graph},
    {"Dist_graph_create", communicator, creation, on_comm,
     "comm n sources degrees destinations weights info reorder newcomm", "none()", Letter::dist_graph},
    {"Dist_graph_create_adjacent", communicator, creation, on_comm,
     "comm indegree sources sourceweights outdegree destinations destweights info reorder newcomm", "none()", Letter::dist_graph},
    {"Comm_create_from_group", communicator, creation, on_world, "group stringtag info errhandler newcomm", "none()", Letter::from_group, true},
    {"Intercomm_create", communicator, creation, on_comm, "comm local_leader peer_comm remote_leader tag newcomm", "none()", Letter::intercomm},
    {"Intercomm_create_from_groups", communicator, creation, on_world,
     "local_group local_leader remote_group remote_leader stringtag info errhandler newcomm", "none()", Letter::from_group, true},
    {"Intercomm_merge", communicator, creation, on_comm, "comm high newcomm", "none()", Letter::merge},
    spawning({"Comm_spawn", communicator, creation, on_comm, "command argv maxprocs info root comm newcomm array_of_errcodes", "none()", Letter::spawn}),
    spawning({"Comm_spawn_multiple", communicator, creation, on_comm,
     "count array_of_commands array_of_argv array_of_maxprocs array_of_info root comm newcomm array_of_errcodes", "none()",
     Letter::spawn}),
    {"Comm_accept",  communicator, creation, on_comm, "port_name info root comm newcomm", "none()", Letter::connect},
    {"Comm_connect", communicator, creation, on_comm, "port_name info root comm newcomm", "none()", Letter::connect},
    {"Comm_join",    communicator, creation, on_self, "fd newcomm", "none()", Letter::connect},
    {"Comm_free", communicator, release, on_comm, "comm"},
    {"Comm_disconnect", communicator, release, on_comm, "comm"},
    {"Comm_set_name", communicator, by_hand, on_comm, "comm comm_name", not_counted},

    {"Win_create", one_sided, window_creation, on_comm, "base size disp_unit info comm win"},
    {"Win_allocate", one_sided, window_creation, on_comm, "size disp_unit info comm baseptr win"},
    {"Win_allocate_shared", one_sided, window_creation, on_comm, "size disp_unit info comm baseptr win"},
    {"Win_create_dynamic", one_sided, window_creation, on_comm, "info comm win"},
    waiting(WaitsFor::all, {"Win_free", one_sided, release, on_window, "win"}),
    {"Win_attach", one_sided, operation, on_window, "win base size"},
    {"Win_detach", one_sided, operation, on_window, "win base"},
    {"Put", one_sided, operation, on_target, "origin_addr origin_count origin_datatype target_rank target_disp target_count target_datatype win",
     "send(origin_count, origin_datatype, target_rank)"},
    {"Get", one_sided, operation, on_target, "origin_addr origin_count origin_datatype target_rank target_disp target_count target_datatype win",
     "get(origin_count, origin_datatype, target_rank)"},
    {"Accumulate", one_sided, operation, on_target, "origin_addr origin_count origin_datatype target_rank target_disp target_count target_datatype op win",
     "send(origin_count, origin_datatype, target_rank)"},
    {"Get_accumulate", one_sided, operation, on_target,
     "origin_addr origin_count origin_datatype result_addr result_count result_datatype target_rank target_disp target_count target_datatype op win",
     "get_accumulate(origin_count, origin_datatype, result_count, result_datatype, op, target_rank)"},
    {"Rput", one_sided, operation, on_target, "origin_addr origin_count origin_datatype target_rank target_disp target_count target_datatype win request",
     "send(origin_count, origin_datatype, target_rank)"},
    {"Rget", one_sided, operation, on_target, "origin_addr origin_count origin_datatype target_rank target_disp target_count target_datatype win request",
     "get(origin_count, origin_datatype, target_rank)"},
    {"Raccumulate", one_sided, operation, on_target, "origin_addr origin_count origin_datatype target_rank target_disp target_count target_datatype op win request",
     "send(origin_count, origin_datatype, target_rank)"},
    {"Rget_accumulate", one_sided, operation, on_target,
     "origin_addr origin_count origin_datatype result_addr result_count result_datatype target_rank target_disp target_count target_datatype op win request",
     "get_accumulate(origin_count, origin_datatype, result_count, result_datatype, op, target_rank)"},
    {"Fetch_and_op", one_sided, operation, on_target, "origin_addr result_addr datatype target_rank target_disp op win",
     "get_accumulate(1, datatype, 1, datatype, op, target_rank)"},
    {"Compare_and_swap", one_sided, operation, on_target,
     "origin_addr compare_addr result_addr datatype target_rank target_disp win",
     "get_accumulate(1, datatype, 1, datatype, MPI_REPLACE, target_rank)"},
    waiting(WaitsFor::all, {"Win_fence", one_sided, operation, on_window, "assertion win"}),
    {"Win_post", one_sided, operation, on_window, "group assertion win"},
    {"Win_start", one_sided, operation, on_window, "group assertion win"},
    {"Win_complete", one_sided, operation, on_window, "win"},
    {"Win_wait", one_sided, operation, on_window, "win"},
    polling({"Win_test", one_sided, operation, on_window, "win flag"}),
    {"Win_lock", one_sided, operation, on_window, "lock_type rank assertion win"},
    {"Win_lock_all", one_sided, operation, on_window, "assertion win"},
    {"Win_unlock", one_sided, operation, on_window, "rank win"},
    {"Win_unlock_all", one_sided, operation, on_window, "win"},
    {"Win_flush", one_sided, operation, on_window, "rank win"},
    {"Win_flush_all", one_sided, operation, on_window, "win"},
    {"Win_flush_local", one_sided, operation, on_window, "rank win"},
    {"Win_flush_local_all", one_sided, operation, on_window, "win"},
    {"Win_sync", one_sided, operation, on_window, "win"},

    {"File_open", file, file_opening, on_comm, "comm filename amode info fh"},
    waiting(WaitsFor::some, {"File_close", file, release, on_opened_file, "fh"}),
    {"File_read", file, by_status, on_opened_file, "fh buf count datatype status", "receive(status)"},
    {"File_write", file, by_status, on_opened_file, "fh buf count datatype status", "written(status)"},
    {"File_iread", file, by_status, on_opened_file, "fh buf count datatype request"},
    {"File_iwrite", file, operation, on_opened_file, "fh buf count datatype request", "send_block(count, datatype)"},
    {"File_read_all", file, by_status, on_opened_file, "fh buf count datatype status", "receive(status)"},
    {"File_write_all", file, by_status, on_opened_file, "fh buf count datatype status", "written(status)"},
    {"File_iread_all", file, by_status, on_opened_file, "fh buf count datatype request"},
    {"File_iwrite_all", file, operation, on_opened_file, "fh buf count datatype request", "send_block(count, datatype)"},
    {"File_read_at", file, by_status, on_opened_file, "fh offset buf count datatype status", "receive(status)"},
    {"File_write_at", file, by_status, on_opened_file, "fh offset buf count datatype status", "written(status)"},
    {"File_iread_at", file, by_status, on_opened_file, "fh offset buf count datatype request"},
    {"File_iwrite_at", file, operation, on_opened_file, "fh offset buf count datatype request", "send_block(count, datatype)"},
    {"File_read_at_all", file, by_status, on_opened_file, "fh offset buf count datatype status", "receive(status)"},
    {"File_write_at_all", file, by_status, on_opened_file, "fh offset buf count datatype status", "written(status)"},
    {"File_iread_at_all", file, by_status, on_opened_file, "fh offset buf count datatype request"},
    {"File_iwrite_at_all", file, operation, on_opened_file, "fh offset buf count datatype request", "send_block(count, datatype)"},
    {"File_read_shared", file, by_status, on_opened_file, "fh buf count datatype status", "receive(status)"},
    {"File_write_shared", file, by_status, on_opened_file, "fh buf count datatype status", "written(status)"},
    {"File_read_ordered", file, by_status, on_opened_file, "fh buf count datatype status", "receive(status)"},
    {"File_write_ordered", file, by_status, on_opened_file, "fh buf count datatype status", "written(status)"},
    {"File_iread_shared", file, by_status, on_opened_file, "fh buf count datatype request"},
    {"File_iwrite_shared", file, operation, on_opened_file, "fh buf count datatype request", "send_block(count, datatype)"},
    {"File_read_all_begin", file, operation, on_opened_file, "fh buf count datatype"},
    {"File_read_all_end", file, by_status, on_opened_file, "fh buf status", "receive(status)"},
    {"File_write_all_begin", file, operation, on_opened_file, "fh buf count datatype"},
    {"File_write_all_end", file, by_status, on_opened_file, "fh buf status", "written(status)"},
    {"File_read_at_all_begin", file, operation, on_opened_file, "fh offset buf count datatype"},
    {"File_read_at_all_end", file, by_status, on_opened_file, "fh buf status", "receive(status)"},
    {"File_write_at_all_begin", file, operation, on_opened_file, "fh offset buf count datatype"},
    {"File_write_at_all_end", file, by_status, on_opened_file, "fh buf status", "written(status)"},
    {"File_read_ordered_begin", file, operation, on_opened_file, "fh buf count datatype"},
    {"File_read_ordered_end", file, by_status, on_opened_file, "fh buf status", "receive(status)"},
    {"File_write_ordered_begin", file, operation, on_opened_file, "fh buf count datatype"},
    {"File_write_ordered_end", file, by_status, on_opened_file, "fh buf status", "written(status)"},
    waiting(WaitsFor::some, {"File_sync", file, operation, on_opened_file, "fh"}),
    waiting(WaitsFor::some, {"File_set_size", file, operation, on_opened_file, "fh size"}),
    waiting(WaitsFor::some, {"File_preallocate", file, operation, on_opened_file, "fh size"}),
    waiting(WaitsFor::some, {"File_set_view", file, operation, on_opened_file, "fh disp etype filetype datarep info"}),
    {"File_set_atomicity", file, operation, on_opened_file, "fh flag"},
    {"File_seek_shared", file, operation, on_opened_file, "fh offset whence"},
    {"File_get_position_shared", file, operation, on_opened_file, "fh offset"},

    {"Init", environment, by_hand, on_self, "argc argv", not_counted},
    {"Init_thread", environment, by_hand, on_self, "argc argv required provided", not_counted},
    ending(waiting(WaitsFor::all, {"Finalize", environment, in_callback, on_self, "", not_counted})),
    {"Session_init", environment, by_hand, on_self, "info errhandler session"},
    ending({"Session_finalize", environment, operation, on_self, "session"}),
    {"Pcontrol", environment, by_hand, on_self, "level", not_counted},
    {"Abort", environment, by_hand, on_comm, "comm errorcode", not_counted},
};
#undef COMMPROF_COLLECTIVE
// clang-format on

}  // namespace commprof::calls
