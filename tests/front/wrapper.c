/* The library between converter.c and an MPI with which it is linked. So is the MPIwrapper of MPItrampoline. */
int MPI_Init(int* argc, char*** argv);
int MPI_Finalize(void);
int MPI_Barrier(void* comm);
int MPI_Comm_size(void* comm, int* size);

int WRAPPED_MPI_Init(int* argc, char*** argv) { return MPI_Init(argc, argv); }
int WRAPPED_MPI_Finalize(void) { return MPI_Finalize(); }
int WRAPPED_MPI_Barrier(void* comm) { return MPI_Barrier(comm); }
int WRAPPED_MPI_Comm_size(void* comm, int* size) { return MPI_Comm_size(comm, size); }
#ifndef WITHOUT_FORTRAN
void mpi_barrier_(int const* comm, int* error);
void WRAPPED_mpi_barrier_(int const* comm, int* error) { mpi_barrier_(comm, error); }
#endif
