// Named regions, through MPI_Pcontrol and through the functions of commprof.h: the calls counted in each region and
// rank, ends that end no region, and names that no file should contain.
// ranks: 1 4
// says: the end of region (any) while none is open
// says: the end of region a within a/b?
// expect: rank=0 op=Barrier region=main calls=6
// expect: rank=0 op=Barrier region=solve calls=2
// expect: rank=0 op=Barrier region=solve/halo calls=3
// expect: regions.csv rank=0 region=solve/halo entered=3
// expect: rank=0 op=Barrier region=halo calls=1
// expect: rank=0 op=Irecv region=issue calls=1 bytes=40
// expect: rank=0 op=Start region=issue calls=1 bytes=40
// expect: rank=0 op=Send region=complete calls=1 bytes=40
// expect: rank=0 op=Wait region=complete calls=2
// expect: regions.csv region='rank 0' rows=1
// expect: rank=1 op=Barrier region=odd calls=1 ranks=4
// expect: rank=2 op=Barrier region=odd calls=0 ranks=4
// expect: rank=0 op=Barrier region='a/b\x09' calls=2
// expect: regions.csv rank=0 region=a entered=2
// expect: rank=0 op=Barrier region=(unnamed) calls=1
// expect: rank=0 op=Barrier region='comma, "quote"' calls=1
// expect: rank=0 op=Barrier region='two\x0d\x0alines\x09' calls=1
// expect: rank=0 op=Barrier region='a|b' calls=1
// expect: rank=0 op=Barrier region=main/main calls=1
// expect: rank=0 op=Barrier region='not UTF-8: \xff\xfe' calls=1
// expect: rank=0 op=Barrier region='größer, 🙂' calls=1
// expect: rank=0 op=Barrier region=' =1+1 ' calls=1
// expect: regions.csv rank=0 region~=xxx*xxx rows=1
// expect: regions.csv rank=0 region~=yyy*yyy rows=1
// expect: rank=0 op=Barrier region='of a thread' calls=1
// expect: rank=0 op=Barrier region=before/meanwhile calls=1
// expect: regions.csv rank=0 region=asleep wall_s>=0.05
// expect: regions.csv rank=0 region=asleep/within wall_s>=0.15 entered=1
// expect: rank=0 op=Barrier region=left/open calls=1
// expect: run.json dropped.region_ends_ignored=6 dropped.regions_left_open=2 ranks=1
// expect: run.json dropped.region_ends_ignored=24 dropped.regions_left_open=8 ranks=4
#include <commprof/commprof.h>
#include <mpi.h>
#include <unistd.h>

#include <string>
#include <thread>

static int rank, ranks;

static void barrier() { MPI_Barrier(MPI_COMM_WORLD); }
static void in(std::string const& name) {
  commprof_region_begin(name.c_str());
  barrier();
  commprof_region_end(name.c_str());
}

static void nested() {
  barrier();
  commprof_region_begin("solve");
  barrier();
  for (int i = 0; i < 3; ++i) {
    MPI_Pcontrol(COMMPROF_REGION_BEGIN, "halo");
    barrier();
    commprof_region_end("halo");
  }
  barrier();
  MPI_Pcontrol(COMMPROF_REGION_END);
  barrier();
  commprof_region_begin("halo");
  barrier();
  commprof_region_end(nullptr);
}

// A receive counts in the region of the call that issued it, its completion in that of the Wait; so does a start.
static void requests_across() {
  int out[10]{}, in[20];
  int const right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  MPI_Request receive, prepared;
  MPI_Recv_init(in, 10, MPI_INT, left, 2, MPI_COMM_WORLD, &prepared);
  commprof_region_begin("issue");
  MPI_Irecv(in + 10, 10, MPI_INT, left, 1, MPI_COMM_WORLD, &receive);
  MPI_Start(&prepared);
  commprof_region_end("issue");
  commprof_region_begin("complete");
  MPI_Send(out, 10, MPI_INT, right, 1, MPI_COMM_WORLD);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  commprof_region_end("complete");
  MPI_Send(out, 10, MPI_INT, right, 2, MPI_COMM_WORLD);
  commprof_region_begin("complete");
  MPI_Wait(&prepared, MPI_STATUS_IGNORE);
  commprof_region_end("complete");
  MPI_Request_free(&prepared);
}

static void wrong_ends() {
  for (int i = 0; i < 2; ++i) {
    MPI_Pcontrol(COMMPROF_REGION_END);
    commprof_region_end("never begun");
    commprof_region_begin("a");
    commprof_region_begin("b\t");
    commprof_region_end("a");
    barrier();
    commprof_region_end("b\t");
    commprof_region_end("a");
  }
  barrier();
}

static void paused() {
  commprof_region_begin("before");
  MPI_Pcontrol(COMMPROF_PAUSE);
  commprof_region_begin("meanwhile");
  barrier();
  MPI_Pcontrol(COMMPROF_RESUME);
  barrier();
  commprof_pause();
  commprof_region_end("meanwhile");
  commprof_region_end("before");
  barrier();
  commprof_resume();
  barrier();
}

int main(int argc, char** argv) {
  commprof_region_begin("too early");
  commprof_region_end(nullptr);
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  nested();
  requests_across();
  in("rank " + std::to_string(rank));
  if (rank % 2 == 1) commprof_region_begin("odd");
  barrier();
  if (rank % 2 == 1) MPI_Pcontrol(COMMPROF_REGION_END);
  wrong_ends();
  for (char const* const name :
       {"", "comma, \"quote\"", "two\r\nlines\t", "a/b", "main", "not UTF-8: \xff\xfe", "größer, 🙂", " =1+1 "})
    in(name);
  in(std::string(10'000, 'x'));
  in(std::string(254, 'y') + "ö");
  // Any thread may begin and end regions, which belong to the process.
  std::thread([] { commprof_region_begin("of a thread"); }).join();
  barrier();
  std::thread([] { commprof_region_end("of a thread"); }).join();
  barrier();
  paused();
  commprof_region_begin("asleep");
  usleep(50'000);
  commprof_region_begin("within");
  usleep(150'000);
  commprof_region_end("within");
  commprof_region_end("asleep");
  commprof_region_begin("left");
  commprof_region_begin("open");
  barrier();
  MPI_Finalize();
  commprof_region_begin("too late");
  commprof_region_end("too late");
}
