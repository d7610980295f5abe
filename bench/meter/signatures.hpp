// The positions of a function's parameters, counted from 0, as far as the meter needs them.
#pragma once

#include <iterator>
#include <string_view>

enum class Kind { other, initialize, finalize, send, collective, poll, pause, system };

struct Signature {
  std::string_view name;
  Kind kind;
  int count = -1, type = -1;  // the sent items: number, and datatype
  int peer = -1, comm = -1;   // the destination
  int flag = -1;              // whether a poll was successful
};

constexpr char const* name_of(Kind kind) {
  constexpr char const* names[] = {"other", "other", "other", "send", "collective", "poll", "pause", "system"};
  return names[static_cast<int>(kind)];
}

constexpr Signature signatures_of_mpi[] = {
    {"", Kind::other},
    {"Init", Kind::initialize},
    {"Init_thread", Kind::initialize},
    {"Finalize", Kind::finalize},
    {"Send", Kind::send, 1, 2, 3, 5},
    {"Isend", Kind::send, 1, 2, 3, 5},
    {"Ssend", Kind::send, 1, 2, 3, 5},
    {"Issend", Kind::send, 1, 2, 3, 5},
    {"Rsend", Kind::send, 1, 2, 3, 5},
    {"Irsend", Kind::send, 1, 2, 3, 5},
    {"Sendrecv", Kind::send, 1, 2, 3, 10},
    {"Barrier", Kind::collective},
    {"Ibarrier", Kind::collective},
    {"Bcast", Kind::collective, 1, 2},
    {"Ibcast", Kind::collective, 1, 2},
    {"Reduce", Kind::collective, 2, 3},
    {"Ireduce", Kind::collective, 2, 3},
    {"Allreduce", Kind::collective, 2, 3},
    {"Iallreduce", Kind::collective, 2, 3},
    {"Scan", Kind::collective, 2, 3},
    {"Iscan", Kind::collective, 2, 3},
    {"Exscan", Kind::collective, 2, 3},
    {"Iexscan", Kind::collective, 2, 3},
    {"Gather", Kind::collective, 1, 2},
    {"Igather", Kind::collective, 1, 2},
    {"Gatherv", Kind::collective, 1, 2},
    {"Igatherv", Kind::collective, 1, 2},
    {"Allgather", Kind::collective, 1, 2},
    {"Iallgather", Kind::collective, 1, 2},
    {"Allgatherv", Kind::collective, 1, 2},
    {"Iallgatherv", Kind::collective, 1, 2},
    {"Scatter", Kind::collective, 1, 2},
    {"Iscatter", Kind::collective, 1, 2},
    {"Alltoall", Kind::collective, 1, 2},
    {"Ialltoall", Kind::collective, 1, 2},
    {"Alltoallv", Kind::collective},
    {"Ialltoallv", Kind::collective},
    {"Comm_create", Kind::collective},
    {"Comm_create_group", Kind::collective},
    {"Comm_dup", Kind::collective},
    {"Comm_free", Kind::collective},
    {"Comm_idup", Kind::collective},
    {"Comm_split", Kind::collective},
    {"Comm_split_type", Kind::collective},
    {"File_open", Kind::collective},
    {"File_close", Kind::collective},
    {"File_write_all", Kind::collective, 2, 3},
    {"File_write_at_all", Kind::collective, 3, 4},
    {"Test", Kind::poll, -1, -1, -1, -1, 1},
    {"Testall", Kind::poll, -1, -1, -1, -1, 2},
    {"Testany", Kind::poll, -1, -1, -1, -1, 3},
    {"Testsome", Kind::poll, -1, -1, -1, -1, 2},
    {"Iprobe", Kind::poll, -1, -1, -1, -1, 3},
    {"Improbe", Kind::poll, -1, -1, -1, -1, 3},
};

constexpr Signature signatures_of_libc[] = {
    {"", Kind::system},           {"clock_nanosleep", Kind::pause}, {"nanosleep", Kind::pause},
    {"sched_yield", Kind::pause}, {"usleep", Kind::pause},
};

// The row of a function; the first row stands for functions that are not in the table.
template <class Table>
constexpr Signature const& signature_in(Table const& table, std::string_view name) {
  for (Signature const& row : table)
    if (row.name == name) return row;
  return *std::begin(table);
}
constexpr Signature const& signature_of_mpi(std::string_view name) { return signature_in(signatures_of_mpi, name); }
constexpr Signature const& signature_of_libc(std::string_view name) { return signature_in(signatures_of_libc, name); }
