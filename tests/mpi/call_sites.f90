! The calls of call_sites.c, in Fortran with the module mpi_f08.
program call_sites
  use mpi_f08
  implicit none
  type(MPI_Comm) :: comm
  type(MPI_Request) :: requests(2)
  double precision :: both(2)
  integer :: rank, ranks, partner, i
  both = 1
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  partner = mod(rank + ranks / 2, ranks)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm) ! Comm_dup 1
  do i = 1, 4
    call MPI_Irecv(both(1), 1, MPI_DOUBLE_PRECISION, partner, 0, comm, requests(1)) ! Irecv 4
    call MPI_Isend(both(2), 1, MPI_DOUBLE_PRECISION, partner, 0, comm, requests(2)) ! Isend 4
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) ! Waitall 4
    call MPI_Barrier(comm) ! Barrier 4
    call MPI_Barrier(comm) ! Barrier 4
  end do
  call MPI_Comm_free(comm) ! Comm_free 1
  call MPI_Finalize()
end program
