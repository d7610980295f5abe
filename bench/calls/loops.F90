! The common calls of loops.cpp from Fortran, with the same names and the same way to measure, on process 0.
program fortran_loops
  use mpi
  use, intrinsic :: iso_c_binding
  implicit none

  type, bind(c) :: timespec
    integer(c_long) :: seconds, nanoseconds
  end type
  interface
    integer(c_int) function clock_gettime(clock, time) bind(c)
      import :: c_int, timespec
      integer(c_int), value :: clock
      type(timespec), intent(out) :: time
    end function
    integer(c_int) function bench_is_quiet() bind(c)
      import :: c_int
    end function
    integer(c_int) function bench_wait_for_quiet() bind(c)
      import :: c_int
    end function
    subroutine bench_meet() bind(c)
    end subroutine
  end interface

  integer, parameter :: batches = 5000, wanted = 500, iterations = 200
  character(*), parameter :: loops(6) = [character(19) :: 'send', 'bcast', 'allreduce', 'send_64_comms', &
                                                              'irecv_wait', 'irecv_isend_waitall']
  integer :: error, rank, i, comms(0:63), request, requests(2)
  real(8) :: buffer, total, data(2), times(batches), of_interest(batches), start, empty
  integer :: loop, batch, quiet(0:batches)
  integer :: count                 ! of batches before and after which it was quiet

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  if (rank /= 0) then
    call bench_meet()
    call MPI_Finalize(error)
    stop
  end if
  do i = 0, 63
    call MPI_Comm_dup(MPI_COMM_SELF, comms(i), error)
  end do
  buffer = 0
  empty = 1d9                      ! how much of a batch is the clock's own
  do i = 1, 1000
    start = now_ns()
    empty = min(empty, now_ns() - start)
  end do

  do loop = 1, size(loops)
    quiet(0) = bench_wait_for_quiet()
    count = 0
    do batch = 1, batches
      start = now_ns()
      call calls(loops(loop))
      times(batch) = now_ns() - start - empty
      if (is_enough()) exit
    end do
    call report(trim(loops(loop)))
  end do

  call bench_meet()
  call MPI_Finalize(error)

contains

  real(8) function now_ns()
    integer(c_int), parameter :: thread_cpu_time = 3  ! Linux: CLOCK_THREAD_CPUTIME_ID
    type(timespec) :: time
    integer(c_int) :: failed
    failed = clock_gettime(thread_cpu_time, time)
    now_ns = 1d9 * time%seconds + time%nanoseconds
  end function

  subroutine calls(loop)
    character(*), intent(in) :: loop
    integer :: i
    select case (loop)
    case ('send')
      do i = 1, iterations
        call MPI_Send(buffer, 1, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 0, MPI_COMM_WORLD, error)
      end do
    case ('bcast')
      do i = 1, iterations
        call MPI_Bcast(buffer, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, error)
      end do
    case ('allreduce')
      do i = 1, iterations
        call MPI_Allreduce(buffer, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comms(0), error)
      end do
    case ('send_64_comms')
      do i = 1, iterations
        call MPI_Send(buffer, 1, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 0, comms(mod(i, 64)), error)
      end do
    case ('irecv_wait')
      do i = 1, iterations
        call MPI_Irecv(buffer, 1, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 0, MPI_COMM_WORLD, request, error)
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
      end do
    case ('irecv_isend_waitall')
      do i = 1, iterations
        call MPI_Irecv(data(1), 1, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, requests(1), error)
        call MPI_Isend(data(2), 1, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, requests(2), error)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
      end do
    end select
  end subroutine

  ! To be asked after each batch.
  logical function is_enough()
    quiet(batch) = bench_is_quiet()
    if (quiet(batch - 1) /= 0 .and. quiet(batch) /= 0) then
      count = count + 1
      of_interest(count) = times(batch)
    end if
    is_enough = count == wanted
  end function

  subroutine report(loop)
    character(*), intent(in) :: loop
    real(8) :: smallest
    integer :: place, next
    logical :: disturbed
    disturbed = count < wanted / 4
    if (disturbed) then
      of_interest = times
      count = batches
    end if
    ! The median: sorted as far as the middle.
    do place = 1, count / 2 + 1
      next = place - 1 + minloc(of_interest(place:count), 1)
      smallest = of_interest(next)
      of_interest(next) = of_interest(place)
      of_interest(place) = smallest
    end do
    print '(a, 1x, f0.3, a)', loop, of_interest(count / 2 + 1) / iterations, trim(merge(' disturbed', '          ', disturbed))
  end subroutine
end program
