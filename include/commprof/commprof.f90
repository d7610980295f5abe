! What a Fortran program can tell the profiler, as a module. It holds declarations only; compile it with the program:
!
!   mpifort -I<prefix>/include <prefix>/include/commprof/commprof.f90 program.f90 -lcommprof_api
module commprof
  implicit none
  public
  include 'commprof/commprof.inc'
end module commprof
