// Counts the calls of a process. Other folders include only this header.
//
//   records, peers   the counts, plain data without pointers
//   shards           the tables of each thread that hold them
//   call_cache       finds the record that counted last, by handle, operation and site
//   current_call     the call that a thread is in now
//   regions          the named parts of the run
//   state            the words that every wrapper reads: whether and in which region calls count
//   left_out         the calls that are not to be counted
//   use_so_far       what the system counts for the process, for the profile of a killed job
//   guard            a lock that is taken only if several threads may call MPI
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
#include "counters/use_so_far.hpp"
