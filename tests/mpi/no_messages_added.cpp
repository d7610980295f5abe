// The profiler sends no messages while the program runs: between MPI_Init and MPI_Finalize, MPI gets only those
// communicating calls that the program makes.
//
// pmpi_census, which is preloaded behind the profiler, counts the profiler's calls of MPI.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "calls/call_table.hpp"
#include "calls/other_calls.hpp"
#include "profile_test.hpp"

extern "C" {
char const* pmpi_census_name(int index) __attribute__((weak));
unsigned long pmpi_census_count(int index) __attribute__((weak));
}

using profile_test::bytes;
using profile_test::ProfileTest;

namespace {

using Census = std::map<std::string, unsigned long>;

// Whether a function of MPI is local. Functions that the profile does not count are local, too: MPI_Init and
// MPI_Finalize, which are not, are called before and after what is counted here.
bool is_local(std::string const& name) {
  using namespace commprof::calls;
  auto const is_it = [&](Row const& row) { return row.name == name && row.rule == not_counted; };
  return needs_none.find(" " + name + " ") != std::string_view::npos || std::ranges::any_of(rows, is_it);
}

// The calls so far of all functions that communicate.
Census census() {
  Census found;
  for (int i = 0; pmpi_census_name(i) != nullptr; ++i) {
    std::string const name = pmpi_census_name(i);
    if (!is_local(name)) found[name] = pmpi_census_count(i);
  }
  return found;
}

// Counts a call of the program, for the profile and for the census.
struct Program {
  ProfileTest& test;
  Census called{};

  void on(std::string const& comm, std::string const& op, profile_test::Counts counts = {1, 0, 0}) {
    test.expect(comm, op, counts);
    called[op] += counts.calls;
  }

  // A creation call on the world gave this process a communicator.
  void made(std::string const& op, MPI_Comm& comm, std::string const& name) {
    on("W", op);
    release(comm, name);
  }
  void release(MPI_Comm& comm, std::string const& name) {
    MPI_Comm_free(&comm);
    on(name, "Comm_free");
  }

  void create() {
    MPI_Comm comm, sub;
    MPI_Request request;
    int const me = test.rank, n = test.ranks, dims[] = {1, n}, periods[] = {1, 1}, remain[] = {0, 1};
    int const edge[] = {0}, degree[] = {1};
    // First, since Open MPI 4.1.4 at times hangs in it after the other calls.
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, degree, edge, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    made("Dist_graph_create", comm, "W_g1");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    made("Comm_dup", comm, "W_d2");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
    made("Comm_dup_with_info", comm, "W_d3");
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    on("W", "Wait");
    made("Comm_idup", comm, "W_d4");
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &comm);
    MPI_Comm_set_name(comm, "half");
    called["Comm_set_name"] += 1;
    made("Comm_split", comm, me % 2 == 0 ? "W_s5.0" : "W_s5.1");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    made("Comm_split_type", comm, "W_t6.0");
    create_of_groups();
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    MPI_Cart_sub(comm, remain, &sub);
    on("W_a8", "Cart_sub");
    release(sub, "W_a8_b1.0");
    made("Cart_create", comm, "W_a8");
    std::vector<int> const no_edges(static_cast<std::size_t>(n), 0);
    MPI_Graph_create(MPI_COMM_WORLD, n, no_edges.data(), edge, 0, &comm);
    made("Graph_create", comm, "W_r9");
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &me, MPI_UNWEIGHTED, 1, &me, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &comm);
    on("W", "Dist_graph_create_adjacent");
    MPI_Comm_disconnect(&comm);
    on("W_g10", "Comm_disconnect");
  }

  void create_of_groups() {
    MPI_Comm comm;
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_create(MPI_COMM_WORLD, world, &comm);
    made("Comm_create", comm, "W_c7.0");
    for (int i = 1; i <= 3; ++i) {
      MPI_Group group;
      int range[1][3] = {{0, test.ranks - 1, 1}};
      MPI_Group_range_incl(world, 1, range, &group);
      MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &comm);
      made("Comm_create_group", comm, "W_u" + std::to_string(i) + "." + profile_test::ranks_in_name(0, test.ranks));
      MPI_Group_free(&group);
    }
    MPI_Group_free(&world);
  }

  // Joins the halves of the world into one communicator of all processes.
  void join_halves() {
    int const half = test.ranks / 2;
    bool const is_below = test.rank < half;
    MPI_Comm local, both, merged;
    MPI_Comm_split(MPI_COMM_WORLD, is_below ? 0 : 1, 0, &local);
    on("W", "Comm_split");
    std::string const name = "W_s11." + std::to_string(is_below ? 0 : half);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, is_below ? half : 0, 0, &both);
    on(name, "Intercomm_create");
    std::string const joined =
        "W_i1." + profile_test::ranks_in_name(0, half) + "." + profile_test::ranks_in_name(half, test.ranks);
    MPI_Intercomm_merge(both, is_below ? 0 : 1, &merged);
    on(joined, "Intercomm_merge");
    release(merged, joined + "_m1");
    release(both, joined);
    release(local, name);
  }

  // Calls that move data.
  void communicate() {
    int const n = test.ranks, right = (test.rank + 1) % n, left = (test.rank + n - 1) % n;
    int out[2] = {}, in[2] = {};
    MPI_Request requests[2];
    MPI_Sendrecv(out, 1, MPI_INT, right, 0, in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    on("W", "Sendrecv", {1, sizeof(int), sizeof(int)});
    MPI_Irecv(in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]);
    on("W", "Irecv", {1, 0, sizeof(int)});
    MPI_Isend(out, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[1]);
    on("W", "Isend", {1, sizeof(int), 0});
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    on("W", "Waitall");
    MPI_Allreduce(out, in, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    on("W", "Allreduce", {1, 2 * sizeof(int), 0});
    MPI_Bcast(out, 1, MPI_INT, 0, MPI_COMM_WORLD);
    on("W", "Bcast", {1, 0, test.rank == 0 ? 0 : sizeof(int)});
    MPI_Pcontrol(0);
    MPI_Pcontrol(1);
    called["Pcontrol"] += 2;
  }
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  if (pmpi_census_name == nullptr) {
    test.fail("pmpi_census is not preloaded");
    return test.finish();
  }
  Census const before = census();
  Program program{test};
  program.create();
  if (test.ranks > 1) program.join_halves();
  program.communicate();
  Census const after = census();
  for (auto const& [name, count] : after) {
    auto const made = count - before.at(name), wanted = program.called[name];
    if (made != wanted)
      test.fail("PMPI_" + name + " was called " + std::to_string(made) + " times, by the program " +
                std::to_string(wanted));
  }
  test.finish();
  // The census does see the profiler's messages when it gathers the profile.
  test.require(census() != after, "the census does not see what the profiler sends");
  return test.exit_code();
}
