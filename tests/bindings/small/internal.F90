! Collectives, one of them nonblocking, whose messages the profile of a run with COMMPROF_INTERNAL=1 shows.
program internal
#if BINDING == 0
  implicit none
  include 'mpif.h'
#elif BINDING == 1
  use mpi
  implicit none
#else
  use mpi_f08
  implicit none
#endif
#if BINDING == 2
  type(MPI_Comm) :: half
  type(MPI_Request) :: request
#else
  integer :: half, request
#endif
  integer :: error, rank
  integer :: values(10), others(10)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  values = rank
  others = 0
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half, error)
  call MPI_Iallreduce(values, others, 10, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, error)
  call MPI_Bcast(values, 7, MPI_INTEGER, 0, half, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call MPI_Comm_free(half, error)
  call MPI_Finalize(error)
end program
