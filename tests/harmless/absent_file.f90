! MPI_File_open fails and may leave its argument as it was. That integer is no file: an MPI may end a program that asks
! for its handle of C. MPICH 4.0.2 asks for it itself, and so ends about one run in seven.
!
! mpi: openmpi
! expect: rank=0 comm=W op=File_open calls=1
program absent_file
  use mpi
  implicit none
  integer :: file = 12345678, error
  call MPI_Init(error)
  call MPI_File_open(MPI_COMM_WORLD, '/absent/file', MPI_MODE_RDONLY, MPI_INFO_NULL, file, error)
  print *, error /= MPI_SUCCESS
  call MPI_Finalize(error)
end program
