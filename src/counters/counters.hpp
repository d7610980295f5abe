// What a process counts. Other folders include this header alone.
//
//   records, peers   the counts, plain data without pointers
//   shards           the tables of each thread that hold them
//   call_cache       from a handle, an operation and a site to the record that counted last
//   current_call     what a thread is in now
//   regions          the named parts of the run
//   state            the words that every wrapper reads: whether and in which region calls count
//   left_out         which calls are not to be counted
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
