// The world that the program sees. A tool over PMPI that comes after the profiler may show it another one than the
// MPI's: layers of in-situ analysis keep some processes for themselves, others number the processes anew.
#pragma once

namespace commprof::program_world {

// Whether MPI_COMM_WORLD has fewer processes for the program than for MPI. The others may never call MPI again, so the
// profiler must not wait for them. Prints a line.
bool is_smaller();

// Whether this process has another rank in MPI_COMM_WORLD for the program than for MPI.
bool has_other_rank();

}  // namespace commprof::program_world
