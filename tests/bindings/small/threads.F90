! Threads that call MPI at once, each on a communicator of its own, and complete what another one has issued.
program threads
  use mpi
  use omp_lib
  implicit none
  integer, parameter :: workers = 4, rounds = 50
  integer :: comms(workers), handed_on(workers), rooms(10, workers)
  integer :: level, error, i, me, next, round, requests(2), values(10), room(10)

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, level, error)
  if (level < MPI_THREAD_MULTIPLE) stop 'this MPI has no MPI_THREAD_MULTIPLE'
  do i = 1, workers
    call MPI_Comm_dup(MPI_COMM_SELF, comms(i), error)
  end do

  !$omp parallel num_threads(workers) private(me, next, round, error, requests, values, room)
  me = omp_get_thread_num() + 1
  next = mod(me, workers) + 1
  values = me
  do round = 1, rounds
    call MPI_Send(values, 3, MPI_INTEGER, MPI_PROC_NULL, 0, comms(me), error)
    call MPI_Irecv(room, 10, MPI_INTEGER, 0, 1, comms(me), requests(1), error)
    call MPI_Isend(values, 5, MPI_INTEGER, 0, 1, comms(me), requests(2), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    call MPI_Allreduce(values, room, 2, MPI_INTEGER, MPI_SUM, comms(me), error)

    call MPI_Irecv(rooms(:, me), 10, MPI_INTEGER, 0, 2, comms(me), handed_on(me), error)
    !$omp barrier
    call MPI_Send(values, 7, MPI_INTEGER, 0, 2, comms(next), error)
    call MPI_Wait(handed_on(next), MPI_STATUS_IGNORE, error)
    !$omp barrier
  end do
  !$omp end parallel

  do i = 1, workers
    call MPI_Comm_free(comms(i), error)
  end do
  call MPI_Finalize(error)
end program
