! A library in Fortran that a program without any loads when it is running, out of sight of others: constants that are known by
! their address are those of the MPI's libraries that came with it.
integer(c_int) function run() bind(c)
  use, intrinsic :: iso_c_binding
#if BINDING == 1
  use mpi
#else
  use mpi_f08
#endif
  implicit none
  integer, parameter :: each = 5
  integer, allocatable :: values(:)
  integer :: room(each), ranks, error

  call MPI_Init(error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  allocate(values(each * ranks))
  values = 0
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, values, each, MPI_INTEGER, MPI_COMM_WORLD, error)
  call MPI_Sendrecv(values, each, MPI_INTEGER, 0, 1, room, each, MPI_INTEGER, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE, error)
  call MPI_Finalize(error)
  run = 0
end function
