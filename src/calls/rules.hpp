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

}  // namespace commprof::calls
