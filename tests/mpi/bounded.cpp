// A program that makes the profiler store as much as possible of one kind:  bounded KIND NUMBER
//
//   live      duplicates of the world, all alive at the end, with a barrier on each
//   freed     duplicates of MPI_COMM_SELF, one after the other
//   regions   regions that are entered once, with a send in each
//   peers     pairs of this process and another, on a communicator for each, with a message between
//   threads   threads that run at once, with a barrier each on MPI_COMM_SELF
//   unseen    receives in one variable that complete where no wrapper sees it
//   records   records on MPI_COMM_SELF: two in each of NUMBER regions
#include <commprof/commprof.h>
#include <mpi.h>

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

// Counts what the profiler calls of MPI, if it is preloaded.
extern "C" char const* pmpi_census_name(int index) __attribute__((weak));
extern "C" unsigned long pmpi_census_count(int index) __attribute__((weak));

static unsigned long messages() {
  unsigned long sum = 0;
  for (int i = 0; pmpi_census_name != nullptr && pmpi_census_name(i) != nullptr; ++i)
    for (std::string const name : {"Send", "Isend", "Recv", "Irecv", "Sendrecv"})
      if (name == pmpi_census_name(i)) sum += pmpi_census_count(i);
  return sum;
}

int main(int argc, char** argv) {
  std::string const kind = argv[1];
  int const number = std::atoi(argv[2]);
  int provided = 0, rank = 0, size = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  int value = 0;

  if (kind == "live" || kind == "peers") {
    for (int i = 0; i < number; ++i) {
      MPI_Comm comm;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      if (kind == "live") MPI_Barrier(comm);
      else
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &value, 1, MPI_INT, (rank + size - 1) % size, 0, comm,
                     MPI_STATUS_IGNORE);
    }
  } else if (kind == "freed") {
    for (int i = 0; i < number; ++i) {
      MPI_Comm comm;
      MPI_Comm_dup(MPI_COMM_SELF, &comm);
      MPI_Comm_free(&comm);
    }
  } else if (kind == "regions" || kind == "records") {
    for (int i = 0; i < number; ++i) {
      std::string const name = "region " + std::to_string(i);
      commprof_region_begin(name.c_str());
      MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF);
      if (kind == "records") MPI_Bcast(&rank, 1, MPI_INT, 0, MPI_COMM_SELF);
      commprof_region_end(name.c_str());
    }
  } else if (kind == "unseen") {
    for (int i = 0; i < number; ++i) {
      MPI_Request request;
      MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
      PMPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  } else if (kind == "threads") {
    std::barrier all_there(number);
    std::vector<std::thread> threads;
    for (int i = 0; i < number; ++i) {
      threads.emplace_back([&all_there] {
        MPI_Barrier(MPI_COMM_SELF);
        all_there.arrive_and_wait();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  unsigned long const before = messages();
  MPI_Finalize();
  std::printf("%lu\n", messages() - before);
  return 0;
}
