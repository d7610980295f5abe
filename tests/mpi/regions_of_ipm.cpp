// COMMPROF_PCONTROL=ipm: the levels of MPI_Pcontrol as programs written for IPM use them; all other levels as usual.
#include <commprof/commprof.h>

#include "profile_test.hpp"

using profile_test::ProfileTest;

namespace {

void barrier_in(ProfileTest& test, std::string const& region) {
  test.in_region(region);
  MPI_Barrier(MPI_COMM_WORLD);
  test.expect("W", "Barrier", {1, 0, 0});
}

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  MPI_Pcontrol(1, "solve");
  barrier_in(test, "solve");
  MPI_Pcontrol(1, "halo");
  MPI_Pcontrol(0, "an event");  // no pause
  barrier_in(test, "solve/halo");
  MPI_Pcontrol(-1, "halo");
  barrier_in(test, "solve");
  MPI_Pcontrol(COMMPROF_REGION_BEGIN, "halo");
  barrier_in(test, "solve/halo");
  MPI_Pcontrol(COMMPROF_REGION_END);
  MPI_Pcontrol(-1, "halo");  // not the innermost one
  barrier_in(test, "solve");
  MPI_Pcontrol(-1, "solve");
  barrier_in(test, "main");
  MPI_Pcontrol(4711);
  barrier_in(test, "main");
  test.expect_entered("solve");
  test.expect_entered("solve/halo", 2);
  test.expect_dropped("region_ends_ignored", static_cast<std::uint64_t>(test.ranks));
  return test.finish();
}
