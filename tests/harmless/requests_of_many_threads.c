// 80 threads issue receives and sends. The main thread completes half of them by the variables that the program was
// given, half by copies. The threads complete those of a last round themselves.
// expect: rank=0 comm=SELF op=Irecv calls=1920 bytes=7680
// expect: rank=0 comm=SELF op=Isend calls=1920 bytes=7680
// expect: run.json dropped.requests=0 dropped.requests_unfinished=0
// time: 10
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { threads = 80, each = 8, rounds = 3 };

static MPI_Request receives[threads][each], sends[threads][each];
static int values[threads][each], received[threads][each];
static pthread_barrier_t barrier;

static void* work(void* number) {
  long const own = (long)number;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < each; ++i) {
      int const tag = (int)own * each + i;
      values[own][i] = tag + round;
      MPI_Irecv(&received[own][i], 1, MPI_INT, 0, tag, MPI_COMM_SELF, &receives[own][i]);
      MPI_Isend(&values[own][i], 1, MPI_INT, 0, tag, MPI_COMM_SELF, &sends[own][i]);
    }
    if (round == rounds - 1) {
      MPI_Status statuses[each];
      MPI_Waitall(each, sends[own], statuses);
      MPI_Waitall(each, receives[own], statuses);
    }
    pthread_barrier_wait(&barrier);  // the main thread completes them
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  pthread_t thread[threads];
  pthread_barrier_init(&barrier, NULL, threads + 1);
  for (long i = 0; i < threads; ++i) pthread_create(&thread[i], NULL, work, (void*)i);
  long sum = 0;
  for (int round = 0; round < rounds; ++round) {
    pthread_barrier_wait(&barrier);
    for (int i = 0; round < rounds - 1 && i < threads; ++i) {
      for (int k = 0; k < each; ++k) {
        MPI_Request copy_of_receive = receives[i][k], copy_of_send = sends[i][k];
        MPI_Wait(i % 2 == 0 ? &sends[i][k] : &copy_of_send, MPI_STATUS_IGNORE);
        MPI_Wait(i % 2 == 0 ? &receives[i][k] : &copy_of_receive, MPI_STATUS_IGNORE);
      }
    }
    for (int i = 0; i < threads; ++i)
      for (int k = 0; k < each; ++k) sum += received[i][k];
    pthread_barrier_wait(&barrier);
  }
  for (int i = 0; i < threads; ++i) pthread_join(thread[i], NULL);
  printf("%d %ld\n", level == MPI_THREAD_MULTIPLE, sum);
  MPI_Finalize();
  return 0;
}
