! Calls that fail and whose error code the program leaves out: they count as failed, and nothing that they left as it was is read.
program without_ierror
  use mpi_f08
  implicit none
  integer, parameter :: nowhere = 1000, room = 10, half = 5, tag = 1
  type(MPI_Comm) :: comm, other, left_as_it_was
  type(MPI_Request) :: sent, received
  type(MPI_Status) :: status
  integer :: out(room), in(room), error

  call MPI_Init()
  call MPI_Comm_dup(MPI_COMM_SELF, comm)
  call MPI_Comm_dup(MPI_COMM_SELF, other)
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)  ! where MPICH raises the errors of some completions
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
  out = 0

  ! The status still tells of the message that arrived before.
  call MPI_Isend(out, room, MPI_INTEGER, 0, tag, comm, sent)
  call MPI_Recv(in, room, MPI_INTEGER, 0, tag, comm, status)
  call MPI_Wait(sent, MPI_STATUS_IGNORE)
  call MPI_Recv(in, room, MPI_INTEGER, nowhere, tag, comm, status)

  ! More arrives than there is room for.
  call MPI_Isend(out, room, MPI_INTEGER, 0, tag, comm, sent)
  call MPI_Irecv(in, half, MPI_INTEGER, 0, tag, comm, received)
  call MPI_Wait(received, status)
  call MPI_Wait(sent, MPI_STATUS_IGNORE)

  ! The variable still has another communicator's handle.
  left_as_it_was = other
  call MPI_Cart_create(comm, 1, [nowhere], [.false.], .false., left_as_it_was)
  call MPI_Barrier(other)

  ! Where the program wants the error code it gets it.
  error = MPI_SUCCESS
  call MPI_Recv(in, room, MPI_INTEGER, nowhere, tag, comm, status, error)
  if (error == MPI_SUCCESS) error stop 'the error code of MPI_Recv was lost'
  left_as_it_was = other
  error = MPI_SUCCESS
  call MPI_Cart_create(comm, 1, [nowhere], [.false.], .false., left_as_it_was, error)
  if (error == MPI_SUCCESS) error stop 'the error code of MPI_Cart_create was lost'

  call MPI_Comm_free(other)
  call MPI_Comm_free(comm)
  call MPI_Finalize()
end program
