! Hands communicators and requests to functions in C and takes some from there.
program mixed
  use mpi
  use iso_c_binding
  implicit none
  interface
    subroutine use_and_duplicate(comm, duplicate) bind(c)
      integer, intent(in) :: comm
      integer, intent(out) :: duplicate
    end subroutine
    subroutine split_in_c(comm, half) bind(c)
      integer, intent(in) :: comm
      integer, intent(out) :: half
    end subroutine
    subroutine wait_in_c(request) bind(c)
      integer, intent(inout) :: request
    end subroutine
    subroutine receive_in_c(comm, request) bind(c)
      integer, intent(in) :: comm
      integer, intent(out) :: request
    end subroutine
    subroutine free_in_c(comm) bind(c)
      integer, intent(inout) :: comm
    end subroutine
  end interface
  integer :: error, rank, half, of_c, of_fortran, mine, request, requests(4), copied, sent, i, level
  integer :: values(10), others(10), rooms(10, 4)

  if (command_argument_count() == 0) then
    call MPI_Init(error)
  else
    call MPI_Init_thread(MPI_THREAD_MULTIPLE, level, error)
  end if
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  values = rank

  ! Issued here, one of them persistent and one looked for in another variable than it was stored in; the first to be completed
  ! there leaves some for here.
  call MPI_Comm_dup(MPI_COMM_SELF, mine, error)
  call MPI_Irecv(rooms(:, 1), 10, MPI_INTEGER, 0, 1, MPI_COMM_SELF, requests(1), error)
  call MPI_Irecv(rooms(:, 2), 10, MPI_INTEGER, 0, 1, mine, requests(2), error)
  call MPI_Recv_init(rooms(:, 3), 10, MPI_INTEGER, 0, 2, mine, requests(3), error)
  call MPI_Start(requests(3), error)
  call MPI_Irecv(rooms(:, 4), 10, MPI_INTEGER, 0, 3, mine, requests(4), error)
  copied = requests(4)
  call MPI_Send(values, 5, MPI_INTEGER, 0, 3, mine, error)
  call MPI_Wait(copied, MPI_STATUS_IGNORE, error)
  call MPI_Send(values, 7, MPI_INTEGER, 0, 1, MPI_COMM_SELF, error)
  call MPI_Send(values, 3, MPI_INTEGER, 0, 1, mine, error)
  call MPI_Send(values, 2, MPI_INTEGER, 0, 2, mine, error)

  ! One that fails, and the next one, which may get its integer and is looked for in another variable.
  call MPI_Comm_set_errhandler(mine, MPI_ERRORS_RETURN, error)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, error)
  call MPI_Isend(values, 6, MPI_INTEGER, 0, 5, mine, sent, error)
  call MPI_Irecv(others, 1, MPI_INTEGER, 0, 5, mine, request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  if (error == MPI_SUCCESS) stop 'six integers fit into one'
  call MPI_Wait(sent, MPI_STATUS_IGNORE, error)
  call MPI_Irecv(others, 10, MPI_INTEGER, 0, 6, MPI_COMM_SELF, request, error)
  copied = request
  call MPI_Send(values, 8, MPI_INTEGER, 0, 6, MPI_COMM_SELF, error)
  call MPI_Wait(copied, MPI_STATUS_IGNORE, error)

  call wait_in_c(requests(2))
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
  call MPI_Wait(requests(3), MPI_STATUS_IGNORE, error)
  call MPI_Request_free(requests(3), error)

  ! Issued there, completed here.
  call receive_in_c(mine, request)
  call MPI_Send(values, 1, MPI_INTEGER, 0, 4, mine, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)

  ! Made here, duplicated there, used and freed here.
  call MPI_Comm_split(MPI_COMM_WORLD, 0, rank, half, error)
  call use_and_duplicate(half, of_c)
  call MPI_Bcast(values, 10, MPI_INTEGER, 0, of_c, error)
  call MPI_Comm_free(of_c, error)
  call MPI_Comm_free(half, error)

  ! Made there, duplicated here, freed there.
  call split_in_c(MPI_COMM_WORLD, half)
  call MPI_Comm_dup(half, of_fortran, error)
  call MPI_Allreduce(values, others, 5, MPI_INTEGER, MPI_SUM, of_fortran, error)
  call MPI_Irecv(others, 10, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_SELF, request, error)
  call MPI_Send(values, 7, MPI_INTEGER, 0, 1, MPI_COMM_SELF, error)
  call wait_in_c(request)
  call free_in_c(of_fortran)
  call free_in_c(half)

  ! The integers of what was freed, here or there, come back for others.
  do i = 1, 3
    call MPI_Comm_dup(MPI_COMM_SELF, half, error)
    call MPI_Bcast(values, i, MPI_INTEGER, 0, half, error)
    call MPI_Allreduce(values, others, i, MPI_INTEGER, MPI_SUM, half, error)
    if (i == 2) call free_in_c(half)
    if (i /= 2) call MPI_Comm_free(half, error)
  end do
  call MPI_Comm_free(mine, error)
  call MPI_Finalize(error)
end program
