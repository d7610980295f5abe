// Snapshots in the middle of a run: each contains the counts so far of all threads, and does not change later profiles.
// All processes get an error, once, and no files remain.
// ranks: 1 2 4
// says: /proc/nowhere: No such file
// says: 100% is not the path
// says: xxxx
// expect: ../profile-snapshot-1/run.json snapshot=1 dropped.requests_unfinished=0
// expect: ../profile-snapshot-1/operations.csv rank=0 op=Barrier calls=1
// expect: ../profile-snapshot-1/operations.csv op=Irecv calls=0
// expect: ../profile-snapshot-2/run.json snapshot=2 dropped.requests_unfinished=14 ranks=2
// expect: ../profile-snapshot-3/run.json snapshot=3 dropped.requests_unfinished=28 ranks=4
// expect: ../profile-snapshot-2/operations.csv rank=0 region=solve op=Irecv calls=3 bytes=0
// expect: ../profile-snapshot-3/operations.csv rank=0 region=solve op=Isend calls=3 bytes=120
// expect: ../profile-snapshot-3/operations.csv rank=0 region=solve op=Start calls=1 bytes=0
// expect: ../profile-snapshot-3/regions.csv rank=0 region=solve entered=1
// expect: ../profile-snapshot-3/operations.csv op=Waitall calls=0
// expect: ../named/2/run.json snapshot=4 ranks=2
// expect: ../named/2/communicators.csv comm=W_d1 rows=0 ranks=2
// expect: ../named/2-2/run.json snapshot=5 ranks=2
// expect: ../named/2-2/communicators.csv comm=W_d1 freed=0 ranks=2
// expect: ../paused/run.json snapshot=9
// expect: ../paused/operations.csv rank=0 op=Waitall calls=3
// expect: run.json snapshot=None dropped.requests_unfinished=0
// expect: rank=0 region=solve op=Irecv calls=3 bytes=120
// expect: rank=0 region=solve op=Start calls=1 bytes=40
// expect: rank=0 comm=W op=Barrier calls=2
// expect: communicators.csv comm=W_d1 freed=1
#include <commprof/commprof.h>
#include <mpi.h>

#include <barrier>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

static int rank, ranks, left, right;

// Without the profiler, no flush fails.
static void flush(char const* path, bool succeeds) {
  bool const is_expected = (commprof_flush(path) == MPI_SUCCESS) == (succeeds || commprof_version == nullptr);
  if (!is_expected) std::printf("%d: %.20s\n", rank, path == nullptr ? "" : path);
}

// Requests that are pending and regions that are open in the snapshot go on afterwards.
static void in_the_middle() {
  constexpr int threads = 3;
  int out[10]{}, in[10];
  MPI_Request prepared;
  MPI_Recv_init(in, 10, MPI_INT, left, 9, MPI_COMM_WORLD, &prepared);
  commprof_region_begin("solve");
  MPI_Start(&prepared);
  std::barrier snapshot(threads + 1);
  std::vector<std::thread> running;
  for (int tag = 0; tag < threads; ++tag) {
    running.emplace_back([&snapshot, tag] {
      int sent[10]{}, received[10];
      MPI_Request requests[2];
      MPI_Irecv(received, 10, MPI_INT, left, tag, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(sent, 10, MPI_INT, right, tag, MPI_COMM_WORLD, &requests[1]);
      snapshot.arrive_and_wait();
      snapshot.arrive_and_wait();
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    });
  }
  snapshot.arrive_and_wait();
  flush(nullptr, true);
  flush("", true);
  snapshot.arrive_and_wait();
  for (std::thread& thread : running) thread.join();
  MPI_Send(out, 10, MPI_INT, right, 9, MPI_COMM_WORLD);
  MPI_Wait(&prepared, MPI_STATUS_IGNORE);
  MPI_Request_free(&prepared);
  commprof_region_end("solve");
}

int main(int argc, char** argv) {
  flush(nullptr, true);  // there is no profile yet
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(COMMPROF_FLUSH);
  in_the_middle();
  // By the rules of COMMPROF_OUTPUT: %n is expanded, parents are created, and existing directories are left alone. The
  // path of rank 0 counts.
  flush("named/%n", true);
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  flush(rank == 0 ? "named/%n" : "nowhere", true);
  MPI_Comm_free(&dup);
  flush("/proc/nowhere/profile", false);
  flush("100%", false);
  flush(std::string(10'000, 'x').c_str(), false);
  MPI_Pcontrol(COMMPROF_PAUSE);
  flush("paused", true);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(COMMPROF_RESUME);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  flush(nullptr, true);  // there is no profile any more
}
