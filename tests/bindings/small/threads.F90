! Threads that call MPI at once, each on a communicator of its own and each with other sizes, and complete what another one has
! issued.
program threads
  use mpi
  use omp_lib
  implicit none
  integer, parameter :: workers = 4, rounds = 50
  integer :: comms(workers), handed_on(workers), rooms(50, workers)
  logical :: done
  integer :: level, error, i, me, next, round, requests(2), values(50), room(50)

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, level, error)
  if (level < MPI_THREAD_MULTIPLE) stop 'this MPI has no MPI_THREAD_MULTIPLE'
  do i = 1, workers
    call MPI_Comm_dup(MPI_COMM_SELF, comms(i), error)
  end do

  !$omp parallel num_threads(workers) private(i, me, next, round, error, done, requests, values, room)
  me = omp_get_thread_num() + 1
  next = mod(me, workers) + 1
  values = me
  do round = 1, rounds
    call MPI_Send(values, me, MPI_INTEGER, MPI_PROC_NULL, 0, comms(me), error)
    call MPI_Irecv(room, 50, MPI_INTEGER, 0, 1, comms(me), requests(1), error)
    call MPI_Isend(values, 5 + me, MPI_INTEGER, 0, 1, comms(me), requests(2), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    call MPI_Allreduce(values, room, 10 * me, MPI_INTEGER, MPI_SUM, comms(me), error)

    call MPI_Irecv(rooms(:, me), 50, MPI_INTEGER, 0, 2, comms(me), handed_on(me), error)
    !$omp barrier
    call MPI_Send(values, 7 * next, MPI_INTEGER, 0, 2, comms(next), error)
    do i = 1, next
      call MPI_Request_get_status(handed_on(next), done, MPI_STATUS_IGNORE, error)
    end do
    call MPI_Wait(handed_on(next), MPI_STATUS_IGNORE, error)
    !$omp barrier
  end do
  !$omp end parallel

  do i = 1, workers
    call MPI_Comm_free(comms(i), error)
  end do
  call MPI_Finalize(error)
end program
