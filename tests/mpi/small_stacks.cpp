// Makes calls of every kind, each for the first time, from threads with a stack of the size in its argument, in KiB.
#include <commprof/commprof.h>
#include <mpi.h>
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void talk(MPI_Comm comm) {
  int rank = 0, size = 0, value = 0, sum = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Request requests[2];
  MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % size, 0, comm, &requests[0]);
  MPI_Isend(&rank, 1, MPI_INT, (rank + size - 1) % size, 0, comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Barrier(comm);
  std::printf("%d\n", sum);
}

void nested_regions() {
  std::string const name(255, 'r');
  for (int depth = 0; depth < 64; ++depth) commprof_region_begin((name.substr(5) + std::to_string(depth)).c_str());
  MPI_Barrier(MPI_COMM_WORLD);
  for (int depth = 0; depth < 64; ++depth) commprof_region_end(NULL);
}

void* body(void*) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm dup, half, some, both, merged, grid;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  talk(dup);
  MPI_Comm_split(dup, rank % 2, 0, &half);
  talk(half);
  MPI_Group group;
  MPI_Comm_group(dup, &group);
  MPI_Comm_create_group(dup, group, 1, &some);
  talk(some);
  MPI_Intercomm_create(half, 0, dup, 1 - rank % 2, 2, &both);
  MPI_Intercomm_merge(both, rank % 2, &merged);
  talk(merged);
  int const dims = 2, periodic = 1;
  MPI_Cart_create(dup, 1, &dims, &periodic, 0, &grid);
  talk(grid);
  MPI_Comm_set_name(grid, std::string(60, 'n').c_str());
  nested_regions();
  commprof_flush(NULL);
  for (MPI_Comm* comm : {&dup, &half, &some, &both, &merged, &grid}) MPI_Comm_free(comm);
  MPI_Group_free(&group);
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, static_cast<std::size_t>(std::atoi(argv[1])) * 1024) != 0) return 9;
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, body, nullptr) != 0) return 9;
    pthread_join(thread, nullptr);
  }
  MPI_Finalize();
  return 0;
}
