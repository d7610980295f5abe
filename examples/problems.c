/* Programs that waste time, each in a way of its own that mpisee-through names on its first page; and one that does
 * not.
 *
 * Usage: mpirun -n N problems [--work] [--mended] PROBLEM..., with an even N: names in the table at the end, one after
 * the other. Computing is played by sleeping, so that more processes than cores make no difference; with --work, it
 * takes processor time. With --mended, the programs have what the advice says in place of their problems, and the same
 * work: how much shorter they are is what the advice saves. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size, works, mended;

static double processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void compute(int milliseconds) {
  struct timespec const duration = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  double const end = processor_time() + milliseconds / 1000.0;
  if (!works) nanosleep(&duration, NULL);
  while (works && processor_time() < end) continue;
}

/* Work that one process has, or, mended, that all share. */
static void compute_alone(int is_mine, int milliseconds, int of_others) {
  if (mended) compute((milliseconds + of_others * (size - 1)) / size);
  else compute(is_mine ? milliseconds : of_others);
}

static void sum_up(void) {
  double mine = rank, all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* The last process has ten times the work of the others, who wait for it. */
static void slow_rank(void) {
  for (int step = 0; step < 20; ++step) {
    compute_alone(rank == size - 1, 30, 3);
    sum_up();
  }
}

/* The processes have ten times the work of the others in turns, so that all have the same work in the end. */
static void taking_turns(void) {
  for (int step = 0; step < 10 * size; ++step) {
    compute_alone(step % size == rank, 30, 3);
    sum_up();
  }
}

/* The first half of the processes sends results to the second half, which has nothing else to do. */
static void late_senders(void) {
  double result = 0;
  for (int step = 0; step < 20; ++step) {
    if (mended) compute(10);
    if (rank < size / 2) {
      if (!mended) compute(20);
      MPI_Send(&result, 1, MPI_DOUBLE, rank + size / 2, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&result, 1, MPI_DOUBLE, rank - size / 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

/* Partners have the same work. Each could send its message before it, but sends it after; so the other has to wait. */
static void sends_last(void) {
  double values[2] = {0, 0};
  int const is_first = rank < size / 2, partner = (rank + size / 2) % size;
  for (int step = 0; step < 20; ++step) {
    if (mended) MPI_Send(&values[0], 1, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD);
    if (!is_first) MPI_Recv(&values[1], 1, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute(20);
    if (!mended) MPI_Send(&values[0], 1, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD);
    if (is_first) MPI_Recv(&values[1], 1, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Partners have the same work. Each posts its receive after it, though the data could come meanwhile; so the other has
 * to wait until it can send. */
static void late_receivers(void) {
  enum { numbers = 1 << 17 };
  static double data[numbers], others[numbers];
  int const is_first = rank < size / 2, partner = (rank + size / 2) % size;
  for (int step = 0; step < 20; ++step) {
    MPI_Request request;
    if (mended) MPI_Irecv(others, numbers, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, &request);
    if (is_first || mended) MPI_Send(data, numbers, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD);
    compute(20);
    if (mended) {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      continue;
    }
    MPI_Recv(others, numbers, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!is_first) MPI_Send(data, numbers, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD);
  }
}

/* A border goes to the neighbour number by number. */
static void tiny_messages(void) {
  enum { numbers = 100 };
  double border[numbers] = {0}, other[numbers];
  MPI_Request requests[2 * numbers];
  MPI_Status statuses[2 * numbers];
  int const next = (rank + 1) % size, previous = (rank + size - 1) % size, at_once = mended ? numbers : 1;
  for (int step = 0; step < 30; ++step) {
    int count = 0;
    for (int i = 0; i < numbers; i += at_once) {
      MPI_Irecv(&other[i], at_once, MPI_DOUBLE, previous, i, MPI_COMM_WORLD, &requests[count++]);
      MPI_Isend(&border[i], at_once, MPI_DOUBLE, next, i, MPI_COMM_WORLD, &requests[count++]);
    }
    MPI_Waitall(count, requests, statuses);
  }
}

/* A library duplicates the communicator each time it is called. */
static void communicator_churn(void) {
  MPI_Comm own = MPI_COMM_NULL;
  if (mended) MPI_Comm_dup(MPI_COMM_WORLD, &own);
  for (int step = 0; step < 150; ++step) {
    if (!mended) MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Barrier(own);
    if (!mended) MPI_Comm_free(&own);
  }
  if (mended) MPI_Comm_free(&own);
}

/* Processes exchange much with those that are half of all ranks away. */
static void bad_mapping(void) {
  enum { bytes = 1 << 18 };
  char* out = calloc(bytes, 1);
  char* in = malloc(bytes);
  int const partner = (rank + size / 2) % size;
  for (int step = 0; step < 50; ++step) {
    MPI_Sendrecv(out, bytes, MPI_BYTE, partner, 0, in, bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  free(in);
  free(out);
}

/* Everybody asks again and again whether a message of rank 0 has come. */
static void polling(void) {
  for (int step = 0; step < 10; ++step) {
    double value = 0;
    if (mended) compute(50 / size);
    if (rank == 0) {
      if (!mended) compute(50);
      for (int to = 1; to < size; ++to) MPI_Send(&value, 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
    } else {
      MPI_Request request;
      int done = 0;
      MPI_Irecv(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
      while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
  }
}

/* One operation after the other, and nothing in between. */
static void dominant_operation(void) {
  enum { bytes = 1 << 14 };
  char* out = calloc((size_t)size, bytes);
  char* in = malloc((size_t)size * bytes);
  for (int step = 0; step < 200; ++step) MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
  free(in);
  free(out);
}

/* A test for convergence after each tiny step, a number each time. */
static void tiny_collectives(void) {
  enum { sums = 20000, at_once = 100 };
  double mine[at_once] = {0}, all[at_once];
  for (int step = 0; !mended && step < sums; ++step) sum_up();
  for (int step = 0; mended && step < sums / at_once; ++step)
    MPI_Allreduce(mine, all, at_once, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* A library makes a window for each exchange. */
static void window_churn(void) {
  double value = rank, other = 0;
  MPI_Win window = MPI_WIN_NULL;
  if (mended) MPI_Win_create(&value, sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  for (int step = 0; step < 300; ++step) {
    if (!mended) MPI_Win_create(&value, sizeof value, sizeof value, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Get(&other, 1, MPI_DOUBLE, (rank + 1) % size, 0, 1, MPI_DOUBLE, window);
    MPI_Win_fence(0, window);
    if (!mended) MPI_Win_free(&window);
  }
  if (mended) MPI_Win_free(&window);
}

/* A barrier before each collective operation, to be on the safe side. */
static void paired_barriers(void) {
  enum { bytes = 1 << 14 };
  char* data = calloc(bytes, 1);
  for (int step = 0; step < 2000; ++step) {
    if (!mended) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(data, bytes, MPI_BYTE, step % size, MPI_COMM_WORLD);
  }
  free(data);
}

/* Everybody writes its numbers one by one. */
static void files(void) {
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, "numbers", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                &file);
  enum { numbers = 20000 };
  static double all[numbers];
  int const at_once = mended ? numbers : 1;
  for (int i = 0; i < numbers; i += at_once)
    MPI_File_write_at(file, ((MPI_Offset)i + (MPI_Offset)rank * numbers) * (MPI_Offset)sizeof all[0], &all[i], at_once,
                      MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

/* The last process becomes slow in the middle of the run: it takes four times as long for each step. */
static void slowed_rank(void) {
  for (int step = 0; step < 200; ++step) {
    compute(step >= 160 && rank == size - 1 && !mended ? 40 : 10);
    sum_up();
  }
}

/* The last process is slow for the middle third of the run. */
static void burst(void) {
  for (int step = 0; step < 225; ++step) {
    compute(step >= 100 && step < 125 && rank == size - 1 && !mended ? 40 : 10);
    sum_up();
  }
}

/* Each process has tasks of its own and writes their results. The last one becomes slow in the middle of the run: it
 * takes four times as long for each task. It has fewer of them, so nobody waits for it. */
static void slowed_worker(void) {
  int const is_last = rank == size - 1, tasks = is_last ? 200 : 320;
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, "results", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                &file);
  for (int task = 0; task < tasks; ++task) {
    double result = task;
    compute(is_last && task >= 160 && !mended ? 40 : 10);
    MPI_File_write_at(file, (task * size + rank) * (MPI_Offset)sizeof result, &result, 1, MPI_DOUBLE,
                      MPI_STATUS_IGNORE);
  }
  MPI_File_close(&file);
}

/* The last process has more work in each step. */
static void growing_imbalance(void) {
  for (int step = 0; step < 200; ++step) {
    compute_alone(rank == size - 1, 3 + step / 10, 3);
    sum_up();
  }
}

/* The last process stops once, for a tenth of a second and more, and the others wait. */
static void one_stop(void) {
  for (int step = 0; step < 40; ++step) {
    compute(step == 20 && rank == size - 1 && !mended ? 205 : 5);
    sum_up();
  }
}

/* Items go from process to process. The second one takes four times as long for each as the others, so the first runs
 * ahead and ends early. */
static void slow_stage(void) {
  for (int item = 0; item < 50; ++item) {
    if (rank > 0) MPI_Recv(NULL, 0, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute_alone(rank == 1, 20, 5);
    if (rank < size - 1) MPI_Send(NULL, 0, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
  }
}

/* Two phases: much work with a sum, then less with messages. */
static void two_phases(void) {
  enum { numbers = 1000 };
  static double out[numbers], in[numbers];
  int const partner = rank ^ 1;
  for (int step = 0; step < 200; ++step) {
    compute(step < 100 ? 20 : 10);
    if (step < 100) sum_up();
    for (int i = 0; step >= 100 && i < 4; ++i)
      MPI_Sendrecv(out, numbers, MPI_DOUBLE, partner, 0, in, numbers, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
  }
}

/* Equal work, and little communication. */
static void none(void) {
  for (int step = 0; step < 3; ++step) {
    compute(1000);
    sum_up();
  }
}

/* Borders go to both neighbours while there is work to do, and the error is summed up now and then. */
static void stencil(void) {
  enum { numbers = 1000 };
  static double border[numbers], left[numbers], right[numbers];
  int const next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int step = 0; step < 60; ++step) {
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Irecv(left, numbers, MPI_DOUBLE, previous, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(right, numbers, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(border, numbers, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(border, numbers, MPI_DOUBLE, previous, 1, MPI_COMM_WORLD, &requests[3]);
    compute(30);
    MPI_Waitall(4, requests, statuses);
    if (step % 10 == 9) sum_up();
  }
}

static struct {
  char const* name;
  void (*run)(void);
} const problems[] = {{"slow-rank", slow_rank},
                      {"taking-turns", taking_turns},
                      {"late-senders", late_senders},
                      {"sends-last", sends_last},
                      {"late-receivers", late_receivers},
                      {"tiny-messages", tiny_messages},
                      {"communicator-churn", communicator_churn},
                      {"bad-mapping", bad_mapping},
                      {"polling", polling},
                      {"dominant-operation", dominant_operation},
                      {"tiny-collectives", tiny_collectives},
                      {"window-churn", window_churn},
                      {"paired-barriers", paired_barriers},
                      {"files", files},
                      {"slowed-rank", slowed_rank},
                      {"burst", burst},
                      {"slowed-worker", slowed_worker},
                      {"growing-imbalance", growing_imbalance},
                      {"one-stop", one_stop},
                      {"slow-stage", slow_stage},
                      {"two-phases", two_phases},
                      {"none", none},
                      {"stencil", stencil}};

static int run(char const* wanted) {
  for (size_t i = 0; i < sizeof problems / sizeof problems[0]; ++i) {
    if (strcmp(problems[i].name, wanted) != 0) continue;
    problems[i].run();
    return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int first = 1;
  for (; first < argc && argv[first][0] == '-'; ++first) {
    works = works || strcmp(argv[first], "--work") == 0;
    mended = mended || strcmp(argv[first], "--mended") == 0;
  }
  int known = argc > first;
  for (int i = first; i < argc; ++i) known = known && run(argv[i]);
  if (!known && rank == 0) fprintf(stderr, "usage: mpirun -n N problems [--work] [--mended] PROBLEM...\n");
  MPI_Finalize();
  return known ? EXIT_SUCCESS : EXIT_FAILURE;
}
