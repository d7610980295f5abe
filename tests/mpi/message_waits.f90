! Rank 1 waits for messages of rank 0, which sleeps before it sends each: in blocking and nonblocking receives, and in
! those from any source.
program message_waits
  use, intrinsic :: iso_c_binding
  use mpi_f08
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(C, name="usleep")
      import :: c_int
      integer(c_int), value :: microseconds
    end function
  end interface
  type(MPI_Request) :: request, requests(1)
  integer :: rank, token, i, k
  token = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  do i = 1, 150
    if (rank == 0) then
      do k = 1, 3
        token = usleep(1500)
        call MPI_Send(token, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
      end do
    else if (rank == 1) then
      call MPI_Recv(token, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Irecv(token, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call MPI_Irecv(token, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1))
      call MPI_Waitall(1, requests, MPI_STATUSES_IGNORE)
    end if
  end do
  call MPI_Finalize()
end program
