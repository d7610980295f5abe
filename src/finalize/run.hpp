// The run of one process, from MPI_Init to MPI_Finalize, and what is known of it.
#pragma once

#include <climits>
#include <cstdint>
#include <ctime>

#include "profile/clock.hpp"

namespace commprof {

struct RunFacts {
  int rank = 0;  // in MPI_COMM_WORLD
  int ranks = 1;
  int pid = 0;
  timespec start_time{};  // of day
  Ticks start;
  char start_directory[PATH_MAX] = "";
  char host[256] = "";
};

namespace run {

// After PMPI_Init: starts the profile of this process, unless the user does not want one.
void begin();

// Before PMPI_Finalize: writes the profile. Collective over MPI_COMM_WORLD if a profile was begun.
void end();

// MPI_Pcontrol: pauses and resumes counting. Other levels are not ours.
void control(int level);

}  // namespace run
}  // namespace commprof
