! Named regions, pauses and snapshots from Fortran. BINDING is 0 for mpif.h, 1 for the module mpi, 2 for mpi_f08. The profile is
! in check_regions.py.
program regions
#if BINDING == 1
  use mpi
  use commprof
#elif BINDING == 2
  use mpi_f08
  use commprof
#endif
  implicit none
#if BINDING == 0
  include 'mpif.h'
  include 'commprof/commprof.inc'
#endif
  integer :: error, rank
  character(len=20) :: name = 'solve'

  call commprof_region_begin('too early')
  call commprof_region_end()
  call MPI_Init(error)
  ! Not wrapped: makes the linker keep MPI's Fortran library, which it drops where the profiler defines all that is called.
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call commprof_region_begin(name)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call commprof_region_begin('halo  ')
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call commprof_region_end('not halo')
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Pcontrol(COMMPROF_LEVEL_REGION_END)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Pcontrol(COMMPROF_LEVEL_FLUSH)
  call commprof_region_end(name)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call commprof_region_begin('')
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call commprof_region_end('   ')
  call MPI_Pcontrol(COMMPROF_LEVEL_PAUSE)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Pcontrol(COMMPROF_LEVEL_RESUME)
  error = -1
  call commprof_flush(ierror=error)
  if (error /= MPI_SUCCESS) stop 1
  call commprof_flush('')
  call commprof_flush('/proc/nowhere', error)
  call MPI_Finalize(error)
end program
