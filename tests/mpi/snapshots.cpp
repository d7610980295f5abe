// Snapshots in the middle of a run: each contains the counts so far, and does not change later profiles.
#include <commprof/commprof.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "profile_test.hpp"

using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

constexpr int size = 10;
constexpr std::uint64_t message = size * sizeof(int);

struct Program {
  ProfileTest& test;
  std::string output;
  NamedComm world{MPI_COMM_WORLD, "W"};
  int out[size]{}, in[size]{};

  std::uint64_t all(std::uint64_t of_each) const { return of_each * static_cast<std::uint64_t>(test.ranks); }
  void barrier_in(std::string const& region) {
    test.in_region(region);
    MPI_Barrier(MPI_COMM_WORLD);
    test.expect("W", "Barrier", {1, 0, 0});
  }
  void check(std::string const& directory, int number) {
    test.check_snapshot(directory);
    auto const run = nlohmann::json::parse(profile_test::read_text(directory + "/run.json"));
    test.require(run.at("snapshot") == number, directory + " has another number");
  }

  // Only this process's own call has been counted.
  void first() {
    barrier_in("main");
    MPI_Pcontrol(COMMPROF_FLUSH);
    check(output + "-snapshot-1", 1);
  }

  // Requests that are pending and regions that are open in the snapshot go on afterwards.
  void in_the_middle() {
    MPI_Request requests[2], prepared;
    test.in_region("main");
    MPI_Recv_init(in, size, MPI_INT, world.left(), 2, MPI_COMM_WORLD, &prepared);
    test.expect("W", "Recv_init", {1, 0, 0});
    commprof_region_begin("solve");
    test.expect_entered("solve");
    barrier_in("solve");
    MPI_Irecv(in, size, MPI_INT, world.left(), 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Start(&prepared);
    // Pending requests count without the bytes that will arrive; a start counts with its prepared bytes.
    test.expect("W", "Irecv", {1, 0, 0});
    test.expect("W", "Start", {1, 0, 0});
    test.expect_dropped("requests_unfinished", all(2));
    for (int number : {2, 3}) {
      test.require(commprof_flush(number == 2 ? nullptr : "") == MPI_SUCCESS, "a flush fails");
      check(output + "-snapshot-" + std::to_string(number), number);
    }
    MPI_Isend(out, size, MPI_INT, world.right(), 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Send(out, size, MPI_INT, world.right(), 2, MPI_COMM_WORLD);
    MPI_Wait(&prepared, MPI_STATUS_IGNORE);
    test.expect("W", "Irecv", {0, 0, message});
    test.expect("W", "Start", {0, 0, message});
    test.expect("W", "Isend", {1, message, 0});
    test.expect("W", "Send", {1, message, 0});
    test.expect("W", "Waitall", {1, 0, 0});
    test.expect("W", "Wait", {1, 0, 0});
    MPI_Request_free(&prepared);
    test.expect("W", "Request_free", {1, 0, 0});
    test.expect_dropped("requests_unfinished", 0);
    commprof_region_end("solve");
  }

  // A named directory, by the rules of COMMPROF_OUTPUT: %n is expanded, parents are created, and existing directories
  // are left alone.
  void named() {
    std::string const wanted = output + "-named/a/%n", made = output + "-named/a/" + std::to_string(test.ranks);
    test.require(commprof_flush(wanted.c_str()) == MPI_SUCCESS, "a flush to a path fails");
    check(made, 4);
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    test.in_region("main");
    test.expect("W", "Comm_dup", {1, 0, 0});
    // The path of rank 0 counts.
    test.require(commprof_flush(test.rank == 0 ? wanted.c_str() : "nowhere") == MPI_SUCCESS, "a flush to a path fails");
    check(made + "-2", 5);
    MPI_Comm_free(&dup);
    test.expect("W_d1", "Comm_free", {1, 0, 0});
    test.expect_communicator("W_d1", {{"freed", "1"}});
  }

  // All processes get the error, once, and no files remain.
  void failing() {
    test.require(commprof_flush("/proc/nowhere/profile") != MPI_SUCCESS, "a flush to /proc succeeds");
    test.require(commprof_flush("100%") != MPI_SUCCESS, "a flush to 100% succeeds");
    test.require(commprof_flush(std::string(10'000, 'x').c_str()) != MPI_SUCCESS, "a flush to a long path succeeds");
  }

  void paused() {
    MPI_Pcontrol(COMMPROF_PAUSE);
    test.require(commprof_flush((output + "-paused").c_str()) == MPI_SUCCESS, "a flush in a pause fails");
    check(output + "-paused", 9);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(COMMPROF_RESUME);
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (commprof_flush(nullptr) != MPI_SUCCESS) return 2;  // there is no profile yet
  ProfileTest test(&argc, &argv);
  char const* const output = std::getenv("COMMPROF_OUTPUT");
  if (output == nullptr) return 3;
  Program program{test, output};
  program.first();
  program.in_the_middle();
  program.named();
  program.failing();
  program.paused();
  program.barrier_in("main");

  int const result = test.finish();
  auto const run = nlohmann::json::parse(profile_test::read_text(std::string(output) + "/run.json"));
  if (!run.at("snapshot").is_null()) return 4;
  if (commprof_flush(nullptr) != MPI_SUCCESS) return 5;  // there is no profile any more
  return result;
}
