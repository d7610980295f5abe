// What a process counts, and where: the one header of this folder for others.
//
//   records, peers   the counts, plain data without pointers
//   shards           the tables of each thread that hold them
//   call_cache       from a communicator and an operation to the record that counted last
//   current_call     what a thread is in now
//   regions          the named parts of the run
//   state            where calls count now: what every wrapper looks at
//   left_out         which calls are not to be counted
//   guard            a lock that a process without threads does not pay for
#pragma once

#include "counters/call_cache.hpp"
#include "counters/current_call.hpp"
#include "counters/guard.hpp"
#include "counters/left_out.hpp"
#include "counters/peers.hpp"
#include "counters/records.hpp"
#include "counters/region_names.hpp"
#include "counters/regions.hpp"
#include "counters/shards.hpp"
#include "counters/state.hpp"
