// Facts about the run that a process knows from its start.
#pragma once

#include <climits>
#include <ctime>

#include "base/clock.hpp"

namespace commprof {

struct RunFacts {
  int rank = 0;  // in MPI_COMM_WORLD
  int ranks = 1;
  int pid = 0;
  bool was_spawned = false;
  timespec start_time{};  // of day
  Ticks start;
  char start_directory[PATH_MAX] = "";
  char host[256] = "";
};

}  // namespace commprof
