! Does one thing that a profile shows, with the interfaces and the small library that are installed.
program linked_program
  use mpi
  use commprof
  implicit none
  integer :: error

  call MPI_Init(error)
  call commprof_region_begin('within')
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call commprof_region_end()
  call MPI_Finalize(error)
end program
