// The world as the program sees it. A tool over PMPI behind the profiler may change MPI_COMM_WORLD: layers of in-situ
// analysis keep some processes for themselves, others renumber the processes.
#pragma once

namespace commprof::program_world {

// Whether MPI_COMM_WORLD has fewer processes for the program than for MPI. The missing ones may never call MPI again,
// so the profiler must not wait for them. Prints a line if so.
bool is_smaller();

// Whether this process has another rank in MPI_COMM_WORLD for the program than for MPI.
bool has_other_rank();

}  // namespace commprof::program_world
