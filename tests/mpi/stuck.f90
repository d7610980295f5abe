! Two ranks that receive from each other, for now.py, with the module mpi_f08; with an argument, calls that do not match.
program stuck
  use mpi_f08
  implicit none
  type(MPI_Comm) :: comm
  double precision :: one, all(16)
  integer :: rank
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Barrier(MPI_COMM_WORLD)
  if (command_argument_count() > 0) then
    if (rank < 3) call MPI_Bcast(one, 1, MPI_DOUBLE_PRECISION, 3, comm) ! bcast
    if (rank == 3) call MPI_Gather(one, 1, MPI_DOUBLE_PRECISION, all, 1, MPI_DOUBLE_PRECISION, 3, comm) ! gather
  end if
  ! The first call on it.
  if (rank < 2) call MPI_Recv(one, 1, MPI_DOUBLE_PRECISION, 1 - rank, 7, comm, MPI_STATUS_IGNORE) ! receive
  call MPI_Barrier(MPI_COMM_WORLD) ! barrier
  call MPI_Finalize()
end program
