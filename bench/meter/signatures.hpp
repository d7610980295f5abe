// The positions of a function's parameters, counted from 0, as far as the meter needs them.
#pragma once

#include <iterator>
#include <string_view>

enum class Kind { other, initialize, send, collective, poll, pause, system };

struct Signature {
  std::string_view name;
  Kind kind;
  int count = -1, type = -1;  // the sent items: number, and datatype
  int peer = -1, comm = -1;   // the destination
  int flag = -1;              // whether a poll was successful
};

constexpr char const* name_of(Kind kind) {
  constexpr char const* names[] = {"other", "other", "send", "collective", "poll", "pause", "system"};
  return names[static_cast<int>(kind)];
}

// The functions that the profiler calls.
constexpr Signature signatures_of_mpi[] = {
    {"", Kind::other},
    {"Init", Kind::initialize},
    {"Init_thread", Kind::initialize},
    {"Send", Kind::send, 1, 2, 3, 5},
    {"Isend", Kind::send, 1, 2, 3, 5},
    {"Issend", Kind::send, 1, 2, 3, 5},
    {"Sendrecv", Kind::send, 1, 2, 3, 10},
    {"Barrier", Kind::collective},
    {"Ibarrier", Kind::collective},
    {"Bcast", Kind::collective, 1, 2},
    {"Ibcast", Kind::collective, 1, 2},
    {"Reduce", Kind::collective, 2, 3},
    {"Allreduce", Kind::collective, 2, 3},
    {"Iallreduce", Kind::collective, 2, 3},
    {"Allgather", Kind::collective, 1, 2},
    {"Comm_create_from_group", Kind::collective},
    {"Comm_free", Kind::collective},
    {"Comm_idup", Kind::collective},
    {"Comm_split", Kind::collective},
    {"Test", Kind::poll, -1, -1, -1, -1, 1},
    {"Testall", Kind::poll, -1, -1, -1, -1, 2},
    {"Iprobe", Kind::poll, -1, -1, -1, -1, 3},
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
