// Windows, files, MPI_Comm_idup and topologies create communicators inside the MPI: the profile contains those that the
// program created, and no others.
#include <cstdio>
#include <set>
#include <string>

#include "profile_test.hpp"

using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

constexpr int rounds = 8;

void windows(ProfileTest& test, NamedComm const& comm) {
  for (int round = 0; round < rounds; ++round) {
    int* memory = nullptr;
    MPI_Win allocated, shared;
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, comm.handle, &memory, &allocated);
    MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, comm.handle, &memory, &shared);
    for (MPI_Win* const window : {&allocated, &shared}) MPI_Win_fence(0, *window), MPI_Win_free(window);
  }
  for (char const* const op : {"Win_allocate", "Win_allocate_shared"}) test.expect(comm.name, op, {rounds, 0, 0});
  test.expect(comm.name, "Win_fence", {2 * rounds, 0, 0});
  test.expect(comm.name, "Win_free", {2 * rounds, 0, 0});
}

void files(ProfileTest& test, NamedComm const& comm, std::string const& path) {
  int const value = 1;
  for (int round = 0; round < rounds; ++round) {
    MPI_File file;
    MPI_File_open(comm.handle, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, comm.rank * 4, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  test.expect(comm.name, "File_open", {rounds, 0, 0});
  test.expect(comm.name, "File_write_at_all", {rounds, rounds * sizeof value, 0});
  test.expect(comm.name, "File_close", {rounds, 0, 0});
}

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  MPI_Comm half_handle, dup;
  MPI_Comm_split(MPI_COMM_WORLD, test.rank % 2, 0, &half_handle);
  test.expect("W", "Comm_split", {1, 0, 0});
  NamedComm const world(MPI_COMM_WORLD, "W"), half(half_handle, "W_s1." + std::to_string(test.rank % 2)),
      self(MPI_COMM_SELF, "SELF");
  windows(test, world);
  // Only on one half: Open MPI 4.1.4 gives one name to the shared memory of windows on disjoint communicators.
  if (test.rank % 2 == 0) windows(test, half);
  windows(test, self);
  std::string const path = argv[0] + std::string(".data-") + std::to_string(test.ranks);
  files(test, world, path);
  files(test, half, path + half.name);
  files(test, self, path + std::to_string(test.rank));
  std::remove(path.c_str()), std::remove((path + half.name).c_str()),
      std::remove((path + std::to_string(test.rank)).c_str());

  std::set<std::string> made = {"W", "SELF", "W_s1.0", "W_d2"};
  if (test.ranks > 1) made.insert("W_s1.1");
  MPI_Request request;
  MPI_Comm_idup(MPI_COMM_WORLD, &dup, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  test.expect("W", "Comm_idup", {1, 0, 0});
  test.expect("W", "Wait", {1, 0, 0});
  MPI_Barrier(dup);
  test.expect("W_d2", "Barrier", {1, 0, 0});
#ifdef MPI_SESSION_NULL  // MPI 4.0, and Open MPI 5.0, which calls itself 3.1
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
  MPI_Comm_idup_with_info(dup, info, &dup, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Info_free(&info);
  test.expect("W_d2", "Comm_idup_with_info", {1, 0, 0});
  test.expect("W_d2", "Wait", {1, 0, 0});
  MPI_Barrier(dup);
  test.expect("W_d2_d1", "Barrier", {1, 0, 0});
  std::string const size = std::to_string(test.ranks);
  test.expect_communicator("W_d2_d1", {{"created_by", "Comm_idup_with_info"}, {"parent", "W_d2"}, {"size", size}});
  made.insert("W_d2_d1");
#endif
  test.finish();
  std::set<std::string> found;
  for (auto const& row : test.communicators()) found.insert(row.at("comm"));
  for (std::string const& name : found)
    if (made.count(name) == 0) test.fail("the program has not made " + name);
  test.require(found.size() == made.size(), "a communicator is missing");
  return test.exit_code();
}
