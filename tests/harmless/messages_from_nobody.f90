! MPI_Mprobe on MPI_PROC_NULL returns one message for all communicators, MPI_MESSAGE_NO_PROC, which only its variables
! tell apart. In Fortran the profiler did not look at them.
!
! expect: rank=0 comm=W_d2 op=Mrecv calls=1
! expect: rank=0 comm=W_d1 op=Imrecv calls=1
! expect: run.json dropped.requests_unfinished=0
program messages_from_nobody
  use mpi
  implicit none
  integer :: one, other, first, second, request, error, data(4)
  call MPI_Init(error)
  call MPI_Comm_dup(MPI_COMM_WORLD, one, error)
  call MPI_Comm_dup(MPI_COMM_WORLD, other, error)
  call MPI_Mprobe(MPI_PROC_NULL, 0, one, first, MPI_STATUS_IGNORE, error)
  call MPI_Mprobe(MPI_PROC_NULL, 0, other, second, MPI_STATUS_IGNORE, error)
  call MPI_Mrecv(data, 4, MPI_INTEGER, second, MPI_STATUS_IGNORE, error)
  call MPI_Imrecv(data, 4, MPI_INTEGER, first, request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call MPI_Finalize(error)
end program
