// Windows, files, MPI_Comm_idup and topologies create communicators inside the MPI: the profile contains those that the
// program created, and no others.
#include "workload.hpp"

namespace {

constexpr int rounds = 8;

void windows(MPI_Comm comm) {
  for (int round = 0; round < rounds; ++round) {
    int* memory = nullptr;
    MPI_Win allocated, shared;
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, comm, &memory, &allocated);
    MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, comm, &memory, &shared);
    for (MPI_Win* const window : {&allocated, &shared}) MPI_Win_fence(0, *window), MPI_Win_free(window);
  }
}

void files(MPI_Comm comm, std::string const& path) {
  int const value = 1;
  for (int round = 0; round < rounds; ++round) {
    MPI_File file;
    MPI_File_open(comm, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, workload::Ring(comm).rank * 4, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  std::remove(path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  workload::Ring const world(MPI_COMM_WORLD);
  MPI_Comm half, dup;
  MPI_Comm_split(MPI_COMM_WORLD, world.rank % 2, 0, &half);
  windows(MPI_COMM_WORLD);
  // Only on one half: Open MPI 4.1.4 gives one name to the shared memory of windows on disjoint communicators.
  if (world.rank % 2 == 0) windows(half);
  windows(MPI_COMM_SELF);
  std::string const path = argv[0] + std::string(".data-") + std::to_string(world.size);
  files(MPI_COMM_WORLD, path);
  files(half, path + "-half-" + std::to_string(world.rank % 2));
  files(MPI_COMM_SELF, path + "-" + std::to_string(world.rank));

  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &dup, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(dup);
#ifdef MPI_SESSION_NULL  // MPI 4.0, and Open MPI 5.0, which calls itself 3.1
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
  MPI_Comm_idup_with_info(dup, info, &dup, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Info_free(&info);
  MPI_Barrier(dup);
#endif
  return workload::finish();
}
