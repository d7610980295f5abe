// What pages of the profiler hold, so that those in a file can be told apart.
#pragma once

#include <cstdint>

namespace commprof::spool {

enum class Kind : std::uint32_t {
  none,  // nothing that a profile is written from
  head,
  run_json,    // text: run.json as it was at the start
  processors,  // text
  home,        // two texts, each with its end: the directory of the profile, and %j
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
  count_
};

// The pages of a table are told apart by the thread that they count for, and by the order in which the table grew.
struct Part {
  Kind kind = Kind::none;
  std::uint32_t owner = 0;
  std::uint32_t chunk = 0;
};

}  // namespace commprof::spool
