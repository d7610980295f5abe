// The rules for a call's bytes: which function of volume.hpp counts what. A nonblocking or persistent call has the rule
// of the blocking one, and so the direction of its data.
#pragma once

#include <algorithm>
#include <string_view>

#include "calls/call_table.hpp"

namespace commprof::calls {

// Which way the bytes go that a rank counts in a collective call.
enum class Flow {
  to_others,
  to_later,  // to the ranks after it: the last one counts none
  to_all,    // a block for each rank; its own one stays where it is
  from_others,
  from_byteless,  // from the root, which counts none
  from_root,
  to_root
};

// The direction of a collective call's data.
enum class Direction { one_to_all, all_to_one, all_to_all };

struct Rule {
  std::string_view name;
  std::string_view text;        // for the documentation
  Flow flow = Flow::to_others;  // of a collective call
};

inline constexpr Rule rules[] = {
    {"none", ""},
    {"send", "sent: the data; none to `MPI_PROC_NULL`"},
    {"receive", "received: what arrived"},
    {"sendrecv", "sent: the data; received: what arrived"},
    {"isendrecv", "sent: the data; received: as posted"},
    {"bcast", "received: the data, except at the root", Flow::from_byteless},
    {"reduce", "sent: the data", Flow::to_root},
    {"gather", "sent: this process's block", Flow::to_root},
    {"gatherv", "sent: this process's block", Flow::to_root},
    {"scatter", "received: this process's block", Flow::from_root},
    {"scatterv", "received: this process's block", Flow::from_root},
    {"allgather", "sent: this process's block"},
    {"allgatherv", "sent: this process's block"},
    {"alltoall", "sent: the blocks to all processes", Flow::to_all},
    {"alltoallv", "sent: the blocks to all processes", Flow::to_all},
    {"send_block", "sent: the data"},
    {"receive_block", "received: this process's block", Flow::from_others},
    {"receive_own_block", "received: this process's block", Flow::from_others},
    {"scan", "sent: the data, except on the last process", Flow::to_later},
    {"neighbor_send", "sent: a block for each out-neighbour"},
    {"neighbor_sendv", "sent: the blocks for all out-neighbours"},
    {"neighbor_sendw", "sent: the blocks for all out-neighbours"},
    {"partitioned_send", "sent: all partitions"},
    {"get", "received: the data; none from `MPI_PROC_NULL`"},
    {"get_accumulate", "sent: the operand, unless the operation is `MPI_NO_OP`; received: the old value"},
    {"written", "sent: what was written"},
};

// The rule of a call that counts and completes no requests; other calls have none.
constexpr Rule const& rule_of(Row const& row) {
  return *std::ranges::find(rules, row.rule.substr(0, row.rule.find('(')), &Rule::name);
}

constexpr Direction direction(Row const& row) {
  switch (rule_of(row).flow) {
    case Flow::from_byteless:
    case Flow::from_root:
      return Direction::one_to_all;
    case Flow::to_root:
      return Direction::all_to_one;
    default:
      return Direction::all_to_all;
  }
}

// Whether one of the ranks counts no bytes: the root of a broadcast, the last one of a scan. A persistent call counts
// none on any rank: those that start it do.
constexpr bool one_counts_none(Row const& row) {
  if (!is_collective(row) || row.kind != operation) return false;
  Flow const flow = rule_of(row).flow;
  return flow == Flow::from_byteless || flow == Flow::to_later;
}

// Whether a collective call combines the operands of all ranks, in contrast to a scan.
constexpr bool reduces_all(Row const& row) {
  return is_collective(row) && has_parameter(row, "op") && rule_of(row).flow != Flow::to_later;
}

}  // namespace commprof::calls
