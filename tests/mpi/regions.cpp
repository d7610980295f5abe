// Named regions, through MPI_Pcontrol and through the functions of commprof.h: the calls counted in each region and
// rank, ends that end no region, and names that no file should contain.
#include <commprof/commprof.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "profile_test.hpp"

using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

constexpr int size = 10;
constexpr std::uint64_t message = size * sizeof(int);

struct Program {
  ProfileTest& test;
  NamedComm world{MPI_COMM_WORLD, "W"};
  int out[size]{}, in[size]{};
  std::uint64_t ignored_ends = 0;  // on this process

  void barrier_in(std::string const& region) {
    test.in_region(region);
    MPI_Barrier(MPI_COMM_WORLD);
    test.expect("W", "Barrier", {1, 0, 0});
  }

  void nested() {
    barrier_in("main");
    commprof_region_begin("solve");
    barrier_in("solve");
    for (int i = 0; i < 3; ++i) {
      MPI_Pcontrol(COMMPROF_REGION_BEGIN, "halo");
      barrier_in("solve/halo");
      commprof_region_end("halo");
    }
    barrier_in("solve");
    MPI_Pcontrol(COMMPROF_REGION_END);
    barrier_in("main");
    commprof_region_begin("halo");
    barrier_in("halo");
    commprof_region_end(nullptr);
    test.expect_entered("solve");
    test.expect_entered("solve/halo", 3);
    test.expect_entered("halo");
  }

  // A receive counts in the region of the call that issued it, its completion in that of the Wait; so does a start.
  void requests_across() {
    MPI_Request receive, send, prepared;
    MPI_Recv_init(in, size, MPI_INT, world.left(), 2, MPI_COMM_WORLD, &prepared);
    test.in_region("main");
    test.expect("W", "Recv_init", {1, 0, 0});
    commprof_region_begin("issue");
    MPI_Irecv(in, size, MPI_INT, world.left(), 1, MPI_COMM_WORLD, &receive);
    MPI_Start(&prepared);
    test.in_region("issue");
    test.expect("W", "Irecv", {1, 0, message});
    test.expect("W", "Start", {1, 0, message});
    commprof_region_end("issue");
    commprof_region_begin("complete");
    test.in_region("complete");
    MPI_Isend(out, size, MPI_INT, world.right(), 1, MPI_COMM_WORLD, &send);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Send(out, size, MPI_INT, world.right(), 2, MPI_COMM_WORLD);
    MPI_Wait(&prepared, MPI_STATUS_IGNORE);
    MPI_Request_free(&prepared);
    test.expect("W", "Isend", {1, message, 0});
    test.expect("W", "Send", {1, message, 0});
    test.expect("W", "Wait", {3, 0, 0});
    test.expect("W", "Request_free", {1, 0, 0});
    commprof_region_end("complete");
    test.expect_entered("issue");
    test.expect_entered("complete");
  }

  // Ranks enter regions that other ranks never enter, in different orders.
  void on_some_ranks() {
    std::string const own = "rank " + std::to_string(test.rank);
    commprof_region_begin(own.c_str());
    barrier_in(own);
    commprof_region_end(own.c_str());
    test.expect_entered(own);
    if (test.rank % 2 == 1) commprof_region_begin("odd");
    barrier_in(test.rank % 2 == 1 ? "odd" : "main");
    if (test.rank % 2 == 1) {
      MPI_Pcontrol(COMMPROF_REGION_END);
      test.expect_entered("odd");
    }
  }

  void wrong_ends() {
    for (int i = 0; i < 2; ++i) {
      MPI_Pcontrol(COMMPROF_REGION_END);
      commprof_region_end("never begun");
      commprof_region_begin("a");
      commprof_region_begin("b");
      commprof_region_end("a");
      barrier_in("a/b");
      commprof_region_end("b");
      commprof_region_end("a");
      ignored_ends += 3;
    }
    barrier_in("main");
    test.expect_entered("a", 2);
    test.expect_entered("a/b", 2);
  }

  void begun(std::string const& name, std::string const& shown) {
    commprof_region_begin(name.c_str());
    barrier_in(shown);
    commprof_region_end(name.c_str());
    test.expect_entered(shown);
  }

  // In the profile, read as RFC 4180, names are unchanged except for what cannot be shown in a line.
  void hostile_names() {
    begun("", "(unnamed)");
    begun("comma, \"quote\"", "comma, \"quote\"");
    begun("two\r\nlines\t", "two\\x0d\\x0alines\\x09");
    begun("a/b", "a\\x2fb");
    begun("main", "main/main");
    begun("not UTF-8: \xff\xfe", "not UTF-8: \\xff\\xfe");
    begun("größer, 🙂", "größer, 🙂");
    begun(std::string(10'000, 'x'), std::string(255, 'x'));
    begun(std::string(254, 'y') + "ö", std::string(254, 'y'));
    begun("=1+1", "=1+1");
    begun(" blank ", " blank ");
  }

  // Any thread may begin and end regions, which belong to the process.
  void by_another_thread() {
    std::thread([] { commprof_region_begin("of a thread"); }).join();
    barrier_in("of a thread");
    std::thread([] { commprof_region_end("of a thread"); }).join();
    barrier_in("main");
    test.expect_entered("of a thread");
  }

  void paused() {
    commprof_region_begin("before");
    MPI_Pcontrol(COMMPROF_PAUSE);
    commprof_region_begin("meanwhile");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(COMMPROF_RESUME);
    barrier_in("before/meanwhile");
    MPI_Pcontrol(COMMPROF_PAUSE);
    commprof_region_end("meanwhile");
    commprof_region_end("before");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(COMMPROF_RESUME);
    barrier_in("main");
    test.expect_entered("before");
    test.expect_entered("before/meanwhile");
  }

  // How long the regions take at least and at most: the system may suspend a process for any time.
  void asleep() {
    double const begin = MPI_Wtime();
    commprof_region_begin("asleep");
    usleep(50'000);
    double const before_within = MPI_Wtime();
    commprof_region_begin("within");
    double const begin_within = MPI_Wtime();
    usleep(150'000);
    double const end_within = MPI_Wtime();
    commprof_region_end("within");
    double const after_within = MPI_Wtime();
    commprof_region_end("asleep");
    most_asleep_s = MPI_Wtime() - begin - (end_within - begin_within);
    most_within_s = after_within - before_within;
    test.expect_entered("asleep");
    test.expect_entered("asleep/within");
  }

  void check_sleep() {
    constexpr double error_of_clocks = 1e-4;
    for (auto const& row : test.regions()) {
      double const wall = std::stod(row.at("wall_s"));
      auto const check = [&](double least, double most) {
        test.require(wall >= least && wall <= most + error_of_clocks, row.at("region") + " takes " + row.at("wall_s"));
      };
      if (row.at("rank") != std::to_string(test.rank)) continue;
      if (row.at("region") == "asleep") check(0.05, most_asleep_s);
      if (row.at("region") == "asleep/within") check(0.15, most_within_s);
    }
  }

  double most_asleep_s = 0;
  double most_within_s = 0;
};

}  // namespace

int main(int argc, char** argv) {
  // Without a profile, the calls do nothing.
  commprof_region_begin("too early");
  commprof_region_end("too early");
  commprof_region_end(nullptr);
  ProfileTest test(&argc, &argv, MPI_THREAD_FUNNELED);
  Program program{test};
  program.nested();
  program.requests_across();
  program.on_some_ranks();
  program.wrong_ends();
  program.hostile_names();
  program.by_another_thread();
  program.paused();
  program.asleep();

  // A program may end with an open region.
  commprof_region_begin("left");
  commprof_region_begin("open");
  program.barrier_in("left/open");
  test.expect_entered("left");
  test.expect_entered("left/open");
  test.expect_dropped("region_ends_ignored", program.ignored_ends * static_cast<std::uint64_t>(test.ranks));
  test.expect_dropped("regions_left_open", 2 * static_cast<std::uint64_t>(test.ranks));
  test.finish();
  commprof_region_begin("too late");
  commprof_region_end("too late");
  program.check_sleep();
  return test.exit_code();
}
