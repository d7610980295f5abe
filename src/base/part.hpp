// Identifies the contents of the profiler's pages, so that a reader can tell them apart in a file.
#pragma once

#include <cstdint>

namespace commprof::spool {

enum class Kind : std::uint32_t {
  none,  // not needed to write a profile
  head,
  run_json,    // text: run.json as written at the start
  processors,  // text
  home,        // two texts, each ended by a zero: the profile's directory, and %j
  records,
  peers,
  communicators,
  communicator_texts,
  regions,
  region_texts,
  scopes,
  sites,
  modules,
  module_texts,
  requests,
  further_requests,
  started_calls,
  current_calls,
  samplers,
  wait_samples,
  time_windows,
  message_state,
  streams,
  message_log,
  spanning_calls,
  awaited_messages,
  cancelled_messages,
  pending_counts,
  posted_queues,
  count_
};

// The pages of a table are identified by the thread that they count for, and by their order.
struct Part {
  Kind kind = Kind::none;
  std::uint32_t owner = 0;
  std::uint32_t chunk = 0;
};

}  // namespace commprof::spool
