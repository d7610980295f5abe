! Hands communicators and a request to functions in C and takes some from there.
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
    subroutine free_in_c(comm) bind(c)
      integer, intent(inout) :: comm
    end subroutine
  end interface
  integer :: error, rank, half, of_c, of_fortran, request, values(10), others(10)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  values = rank

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
  call MPI_Finalize(error)
end program
