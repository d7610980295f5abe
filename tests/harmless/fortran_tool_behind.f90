! A tool over PMPI in Fortran is preloaded behind the profiler: both see the program's calls.
! behind: fortran_tool
! expect: op=Barrier comm=W calls=4
program calls
  implicit none
  include 'mpif.h'
  integer :: error, i
  call MPI_Init(error)
  do i = 1, 4
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end do
  call MPI_Finalize(error)
end program
