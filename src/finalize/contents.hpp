// The contributions of one process to a profile.
#pragma once

#include "finalize/profile_writer.hpp"
#include "profile/profile.hpp"
#include "time_windows/own_time_windows.hpp"

namespace commprof {

struct Contents {
  RowContext const& rows;
  UnfinishedRequests const& unfinished;
  OwnWaits& waits;
  OwnMessageWaits& messages;
  OwnTimeWindows const& windows;
  MadeAtStart made;   // empty for a snapshot
  unsigned snapshot;  // number of the snapshot, from 1; 0: the profile of the whole run

  bool is_of_snapshot() const { return snapshot != 0; }
};

}  // namespace commprof
