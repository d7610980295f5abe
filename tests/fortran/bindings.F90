! One program in the three bindings of Fortran: compiled with -DMPIF_H, -DUSE_MPI or -DUSE_MPI_F08 it makes the same calls, and
! check_bindings.py knows what its profile must be.
program bindings
#if defined(USE_MPI_F08)
  use mpi_f08
  implicit none
  type(MPI_Comm) :: dup, reversed
  type(MPI_Request) :: requests(3)
  type(MPI_Status) :: status
#define COMPONENT(x) status%x
#else
#if defined(USE_MPI)
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: dup, reversed, requests(3), status(MPI_STATUS_SIZE)
#define COMPONENT(x) status(x)
#endif
  integer :: rank, ranks, error, i, index, next, previous, arrived, outcount, indices(2)
  integer :: values(10), others(10), all(1000)
  logical :: flag

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)
  values = rank

  call MPI_Comm_dup(MPI_COMM_WORLD, dup, error)
  call MPI_Comm_set_name(dup, "a name, with blanks  ", error)
  call MPI_Comm_split(dup, 0, -rank, reversed, error)

  ! Collectives, with MPI_IN_PLACE at the root and everywhere.
  call MPI_Barrier(dup, error)
  call MPI_Bcast(values, 10, MPI_INTEGER, 0, dup, error)
  call MPI_Allreduce(MPI_IN_PLACE, values, 10, MPI_INTEGER, MPI_SUM, reversed, error)
  if (rank == 0) then
    call MPI_Gather(MPI_IN_PLACE, 99, MPI_INTEGER, all, 3, MPI_INTEGER, 0, dup, error)
  else
    call MPI_Gather(values, 3, MPI_INTEGER, all, 3, MPI_INTEGER, 0, dup, error)
  end if
  call MPI_Ibarrier(dup, requests(1), error)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)

  ! Point-to-point: more is posted than arrives, statuses are ignored and looked at.
  call MPI_Irecv(others, 10, MPI_INTEGER, previous, 5, dup, requests(1), error)
  call MPI_Isend(values, 7, MPI_INTEGER, next, 5, dup, requests(2), error)
  requests(3) = MPI_REQUEST_NULL
  call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, error)
  call MPI_Sendrecv(values, 3, MPI_INTEGER, next, 1, others, 10, MPI_INTEGER, previous, 1, dup, status, error)
  if (COMPONENT(MPI_SOURCE) /= previous) stop 3
  call MPI_Get_count(status, MPI_INTEGER, arrived, error)
  if (arrived /= 3) stop 4
  call MPI_Send(values, 10, MPI_INTEGER, MPI_PROC_NULL, 1, dup, error)
  call MPI_Recv(others, 10, MPI_INTEGER, MPI_PROC_NULL, 1, dup, MPI_STATUS_IGNORE, error)

  ! Ranks are other ones here.
  call MPI_Comm_rank(reversed, i, error)
  next = mod(i + 1, ranks)
  previous = mod(i + ranks - 1, ranks)
  call MPI_Irecv(others, 10, MPI_INTEGER, previous, 6, reversed, requests(1), error)
  call MPI_Isend(values, 4, MPI_INTEGER, next, 6, reversed, requests(2), error)
  do i = 1, 2
    call MPI_Waitany(2, requests, index, status, error)
  end do
  call MPI_Irecv(others, 10, MPI_INTEGER, previous, 7, reversed, requests(1), error)
  call MPI_Isend(values, 2, MPI_INTEGER, next, 7, reversed, requests(2), error)
  i = 0
  do while (i < 2)
    call MPI_Waitsome(2, requests, outcount, indices, MPI_STATUSES_IGNORE, error)
    i = i + outcount
  end do
  call MPI_Irecv(others, 10, MPI_INTEGER, MPI_PROC_NULL, 7, dup, requests(1), error)
  flag = .false.
  do while (.not. flag)
    call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, error)
  end do

  ! A persistent pair, started twice.
  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)
  call MPI_Send_init(values, 5, MPI_INTEGER, next, 8, dup, requests(1), error)
  call MPI_Recv_init(others, 10, MPI_INTEGER, previous, 8, dup, requests(2), error)
  do i = 1, 2
    call MPI_Startall(2, requests, error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  end do
  call MPI_Request_free(requests(1), error)
  call MPI_Request_free(requests(2), error)

  ! Paused: not counted.
  call MPI_Pcontrol(0)
  call MPI_Barrier(dup, error)
  call MPI_Pcontrol(1)

  call MPI_Comm_free(reversed, error)
  call MPI_Comm_free(dup, error)
  call MPI_Finalize(error)
end program
