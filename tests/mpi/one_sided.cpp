// Windows: each operation counts on the communicator that the window was made from, with its bytes at the origin.
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::ProfileTest;

namespace {

constexpr int length = 64;  // doubles in each window

struct Program {
  ProfileTest& test;
  MPI_Win win;
  std::string name;
  int target;
  double buffer[length] = {}, result[length] = {};

  void expect(char const* op, std::uint64_t sent = 0, std::uint64_t received = 0) {
    test.expect(name, op, {1, sent, received});
  }

  // Origin and target may describe the same data differently; a call to MPI_PROC_NULL moves nothing.
  void move(int count, int rank) {
    std::uint64_t const m = rank == MPI_PROC_NULL ? 0 : bytes(count, MPI_DOUBLE);
    MPI_Put(buffer, count, MPI_DOUBLE, rank, 0, count, MPI_DOUBLE, win);
    expect("Put", m);
    MPI_Win_flush_all(win);
    expect("Win_flush_all");
    MPI_Get(result, count, MPI_DOUBLE, rank, 0, count, MPI_DOUBLE, win);
    expect("Get", 0, m);
    MPI_Accumulate(buffer, count, MPI_DOUBLE, rank, 0, count, MPI_DOUBLE, MPI_SUM, win);
    expect("Accumulate", m);
    MPI_Get_accumulate(buffer, count, MPI_DOUBLE, result, count, MPI_DOUBLE, rank, 0, count, MPI_DOUBLE, MPI_SUM, win);
    expect("Get_accumulate", m, m);
    MPI_Get_accumulate(nullptr, 0, MPI_DOUBLE, result, count, MPI_DOUBLE, rank, 0, count, MPI_DOUBLE, MPI_NO_OP, win);
    expect("Get_accumulate", 0, m);
    if (rank != MPI_PROC_NULL) MPI_Win_flush(rank, win), expect("Win_flush");
  }

  void single(int rank) {
    MPI_Fetch_and_op(buffer, result, MPI_DOUBLE, rank, 0, MPI_SUM, win);
    expect("Fetch_and_op", sizeof(double), sizeof(double));
    MPI_Fetch_and_op(nullptr, result, MPI_DOUBLE, rank, 0, MPI_NO_OP, win);
    expect("Fetch_and_op", 0, sizeof(double));
#ifndef OPEN_MPI  // 4.1.4 crashes in it, with or without a profiler
    long const value = 1, compare = 0;
    long old = 0;
    MPI_Compare_and_swap(&value, &compare, &old, MPI_LONG, rank, length - 1, win);
    expect("Compare_and_swap", sizeof(long), sizeof(long));
#endif
    MPI_Win_flush_local(rank, win);
    expect("Win_flush_local");
    MPI_Win_flush_local_all(win);
    expect("Win_flush_local_all");
  }

  void with_requests(int count, int rank) {
    std::uint64_t const m = bytes(count, MPI_DOUBLE);
    std::vector<MPI_Request> requests(4);
    MPI_Rput(buffer, count, MPI_DOUBLE, rank, 0, count, MPI_DOUBLE, win, &requests[0]);
    expect("Rput", m);
    MPI_Rget(result, count, MPI_DOUBLE, rank, 0, count, MPI_DOUBLE, win, &requests[1]);
    expect("Rget", 0, m);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
    expect("Waitall");
    MPI_Raccumulate(buffer, count, MPI_DOUBLE, rank, 0, count, MPI_DOUBLE, MPI_SUM, win, &requests[2]);
    expect("Raccumulate", m);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    expect("Wait");
    MPI_Rget_accumulate(buffer, count, MPI_DOUBLE, result, count, MPI_DOUBLE, rank, 0, count, MPI_DOUBLE, MPI_SUM, win,
                        &requests[3]);
    expect("Rget_accumulate", m, m);
    MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
    expect("Wait");
  }

  void passive() {
    MPI_Win_lock_all(0, win);
    expect("Win_lock_all");
    for (int const count : {0, 1, 10}) move(count, target);
    move(10, MPI_PROC_NULL);
    single(target);
    with_requests(5, target);
    MPI_Win_sync(win);
    expect("Win_sync");
    MPI_Win_unlock_all(win);
    expect("Win_unlock_all");
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    expect("Win_lock");
    MPI_Win_unlock(target, win);
    expect("Win_unlock");
  }

  void active(MPI_Group everybody) {
    MPI_Win_fence(0, win);
    expect("Win_fence");
    MPI_Put(buffer, 2, MPI_DOUBLE, target, 0, 2, MPI_DOUBLE, win);
    expect("Put", 2 * sizeof(double));
    MPI_Win_fence(0, win);
    expect("Win_fence");
    MPI_Win_post(everybody, 0, win);
    expect("Win_post");
    MPI_Win_start(everybody, 0, win);
    expect("Win_start");
    MPI_Win_complete(win);
    expect("Win_complete");
    MPI_Win_wait(win);
    expect("Win_wait");
  }
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  MPI_Comm comm;
  MPI_Group group;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  test.expect("W", "Comm_dup", {1, 0, 0});
  MPI_Comm_group(comm, &group);
  int const target = (test.rank + 1) % test.ranks;
  auto const counts_on_dup = [&](char const* op) { test.expect("W_d1", op, {1, 0, 0}); };

  double* memory = nullptr;
  std::vector<double> own(length);
  MPI_Win win;
  MPI_Win_allocate(length * sizeof(double), sizeof(double), MPI_INFO_NULL, comm, &memory, &win);
  counts_on_dup("Win_allocate");
  Program{test, win, "W_d1", target}.passive();
  MPI_Win_free(&win);
  counts_on_dup("Win_free");

  MPI_Win_create(own.data(), length * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  test.expect("W", "Win_create", {1, 0, 0});
  Program{test, win, "W", target}.active(group);
  MPI_Win_free(&win);
  test.expect("W", "Win_free", {1, 0, 0});

  MPI_Win_allocate_shared(length * sizeof(double), sizeof(double), MPI_INFO_NULL, comm, &memory, &win);
  counts_on_dup("Win_allocate_shared");
  MPI_Win_free(&win);
  counts_on_dup("Win_free");

  MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win);
  counts_on_dup("Win_create_dynamic");
  MPI_Win_attach(win, own.data(), sizeof(double));
  counts_on_dup("Win_attach");
  MPI_Win_detach(win, own.data());
  counts_on_dup("Win_detach");
  MPI_Win_free(&win);
  counts_on_dup("Win_free");

  MPI_Group_free(&group);
  MPI_Comm_free(&comm);
  counts_on_dup("Comm_free");
  return test.finish();
}
