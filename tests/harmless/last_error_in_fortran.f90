! A program calls functions of MPI for the first time between a failing dlopen() and dlerror(). The error was lost.
! expect: op=Allreduce comm=W calls=1
! expect: op=Sendrecv comm=W calls=1
program calls
  use iso_c_binding
  use mpi
  implicit none
  interface
    function dlopen(name, mode) bind(c)
      import
      type(c_ptr) :: dlopen
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: mode
    end function
    function dlerror() bind(c)
      import
      type(c_ptr) :: dlerror
    end function
  end interface
  integer :: error, mine = 1, all = 0
  type(c_ptr) :: library
  call MPI_Init(error)
  library = dlopen('libplugin_of_user.so' // c_null_char, 2)
  call MPI_Allreduce(mine, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Sendrecv(mine, 1, MPI_INTEGER, 0, 0, all, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  print *, c_associated(library), c_associated(dlerror())
  call MPI_Finalize(error)
end program
