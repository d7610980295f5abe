// A communicator's name is the path of its creation calls. Each process states the names from its own calls; the
// counter judges parents, members, topologies and names that the user gave. What the profiler calls of MPI meanwhile is
// counted behind it, by pmpi_census: it sends no messages.
#include <algorithm>
#include <vector>

#include "workload.hpp"

using workload::require;

namespace {

int n, me;

std::string ranks_from(int first, int number, int step = 1) {
  std::string const last = std::to_string(first + step * (number - 1));
  if (number == 1) return std::to_string(first);
  return std::to_string(first) + "-" + last + (step == 1 ? "" : ":" + std::to_string(step));
}

// The next creation call on a communicator has made this one, if the process is a member.
void made(MPI_Comm comm, std::string const& name, bool frees = true) {
  if (comm == MPI_COMM_NULL) return;
  workload::require_name(comm, name);
  MPI_Barrier(comm);
  if (frees) MPI_Comm_free(&comm);
}

void duplicates() {
  MPI_Comm comm;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm), made(comm, "W_d1");
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm), made(comm, "W_d2");
  MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  made(comm, "W_d3");
#ifdef MPI_SESSION_NULL  // MPI 4.0, and Open MPI 5.0, which calls itself 3.1
  MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
#endif
  made(comm, "W_d4");
}

void splits() {
  MPI_Comm comm;
  // The key reverses the ranks; the smallest rank in the parent does not change.
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &comm), made(comm, me % 2 == 0 ? "W_s5.0" : "W_s5.1");
  MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : 7, 0, &comm), made(comm, "W_s6.1");
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm), made(comm, "W_t7.0");
  MPI_Comm_split_type(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
  made(comm, "W_t8.1");
}

// One call of disjoint groups makes two communicators.
void groups() {
  MPI_Comm comm;
  MPI_Group world, mine;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int const first = me < n / 2 ? 0 : n / 2, last = n - 1;
  int range[1][3] = {{first, me < n / 2 ? n / 2 - 1 : last, 1}};
  MPI_Group_range_incl(world, 1, range, &mine);
  MPI_Comm_create(MPI_COMM_WORLD, mine, &comm), made(comm, "W_c9." + std::to_string(first));
  MPI_Group_free(&mine);
  MPI_Group_incl(world, me == last ? 1 : 0, &last, &mine);
  MPI_Comm_create(MPI_COMM_WORLD, mine, &comm), made(comm, "W_c10." + std::to_string(last));
  if (mine != MPI_GROUP_EMPTY) MPI_Group_free(&mine);

  // Members alone know of the call, so its ordinal counts the communicators of exactly these members and this tag.
  std::string const everybody = ranks_from(0, n), others = ranks_from(me % 2, (n - me % 2 + 1) / 2, 2);
  int of_parity[1][3] = {{me % 2, n - 1, 2}};
  MPI_Group_range_incl(world, 1, of_parity, &mine);
  for (int i = 1; i <= 2; ++i) {
    MPI_Comm_create_group(MPI_COMM_WORLD, world, 0, &comm), made(comm, "W_u" + std::to_string(i) + "." + everybody);
    MPI_Comm_create_group(MPI_COMM_WORLD, mine, 3, &comm);
    made(comm, "W_u" + std::to_string(i) + "." + others + ".t3");
  }
  MPI_Group_free(&mine);
  MPI_Group_free(&world);
}

void topologies() {
  MPI_Comm comm, sub;
  int const line[] = {n}, shorter[] = {n > 1 ? n - 1 : 1}, grid[] = {1, n}, periods[] = {1, 0};
  MPI_Cart_create(MPI_COMM_WORLD, 1, line, periods, 0, &comm), made(comm, "W_a11");
  // The last process is not a member, but counts the call.
  MPI_Cart_create(MPI_COMM_WORLD, 1, shorter, periods, 0, &comm), made(comm, "W_a12");
  MPI_Cart_create(MPI_COMM_WORLD, 2, grid, periods, 0, &comm), made(comm, "W_a13", false);
  int const row[] = {0, 1}, column[] = {1, 0}, point[] = {0, 0};
  MPI_Cart_sub(comm, row, &sub), made(sub, "W_a13_b1.0");
  MPI_Cart_sub(comm, column, &sub), made(sub, "W_a13_b2." + std::to_string(me));
  MPI_Cart_sub(comm, point, &sub), made(sub, "W_a13_b3." + std::to_string(me));
  int const index[] = {1}, edge[] = {0}, degree[] = {1};
  MPI_Graph_create(MPI_COMM_WORLD, 1, index, edge, 0, &comm), made(comm, "W_r14");
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, degree, edge, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  made(comm, "W_g15");
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &me, MPI_UNWEIGHTED, 1, &me, MPI_UNWEIGHTED, MPI_INFO_NULL, 1,
                                 &comm);
  made(comm, "W_g16");
}

// Calls that fail on all members have a place in the order, too.
void failures() {
  MPI_Comm comm = MPI_COMM_NULL;
  int const too_many[] = {n + 1}, periods[] = {0}, edge[] = {0};
  std::vector<int> const index(static_cast<std::size_t>(n + 1), 1);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int const graph = MPI_Graph_create(MPI_COMM_WORLD, n + 1, index.data(), edge, 0, &comm);
  int const cart = MPI_Cart_create(MPI_COMM_WORLD, 1, too_many, periods, 0, &comm);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  require(graph != MPI_SUCCESS && cart != MPI_SUCCESS, "a creation call succeeds that should not");
  MPI_Comm_dup(MPI_COMM_WORLD, &comm), made(comm, "W_d19");
}

// Calls on other communicators, of which the other members know nothing, are not part of a name.
void elsewhere() {
  MPI_Comm half, comm;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &half);
  std::string const name = me % 2 == 0 ? "W_s20.0" : "W_s20.1";
  made(half, name, false);
  for (int i = 1; i <= (me % 2 == 0 ? 1 : 3); ++i)
    MPI_Comm_dup(half, &comm), made(comm, name + "_d" + std::to_string(i));
  MPI_Comm_dup(MPI_COMM_WORLD, &comm), made(comm, "W_d21");
}

// Five levels deep; all but the third are freed.
void nested() {
  std::vector<MPI_Comm> comms(6);
  comms[0] = MPI_COMM_WORLD;
  MPI_Group group;
  int const line[] = {n}, periods[] = {0};
  MPI_Comm_dup(comms[0], &comms[1]);
  MPI_Comm_split(comms[1], 0, 0, &comms[2]);
  MPI_Comm_dup(comms[2], &comms[3]);
  MPI_Comm_group(comms[3], &group);
  MPI_Comm_create(comms[3], group, &comms[4]);
  MPI_Cart_create(comms[4], 1, line, periods, 0, &comms[5]);
  MPI_Group_free(&group);
  char const* const names[] = {
      "W", "W_d22", "W_d22_s1.0", "W_d22_s1.0_d1", "W_d22_s1.0_d1_c1.0", "W_d22_s1.0_d1_c1.0_a1"};
  for (std::size_t i = 1; i < 6; ++i) {
    MPI_Comm_set_name(comms[i], "first");
    MPI_Comm_set_name(comms[i], ("level " + std::to_string(i)).c_str());
    made(comms[i], names[i], i != 3);
  }
  MPI_Comm disconnected;
  MPI_Comm_dup(MPI_COMM_WORLD, &disconnected), made(disconnected, "W_d23", false);
  MPI_Comm_disconnect(&disconnected);
  MPI_Comm_set_name(MPI_COMM_WORLD, "all of us");
}

// Grids of each shape, whose duplicates have their topology; the last of an odd number of processes is not in the
// halves.
void shapes() {
  struct Grid {
    std::vector<int> dims, periods;
  };
  std::vector<Grid> const grids{
      {{n}, {1}}, {{n}, {0}}, {{1, n, 1}, {1, 0, 0}}, n > 1 ? Grid{{2, n / 2}, {0, 1}} : Grid{{1}, {0}}};
  MPI_Comm comm, duplicate;
  for (std::size_t i = 0; i < grids.size(); ++i) {
    auto const& [dims, periods] = grids[i];
    std::string const name = "W_a" + std::to_string(24 + i);
    MPI_Cart_create(MPI_COMM_WORLD, static_cast<int>(dims.size()), dims.data(), periods.data(), 0, &comm);
    made(comm, name, false);
    if (comm != MPI_COMM_NULL) MPI_Comm_dup(comm, &duplicate), made(duplicate, name + "_d1");
  }
  std::vector<int> star_ends{n - 1}, star_edges;
  for (int i = 1; i < n; ++i) star_edges.push_back(i), star_ends.push_back(n - 1 + i);
  star_edges.resize(static_cast<std::size_t>(2 * n - 1));  // to 0, and one more, so that the array exists
  MPI_Graph_create(MPI_COMM_WORLD, n, star_ends.data(), star_edges.data(), 0, &comm), made(comm, "W_r28");
  int const degree = 1, next = (me + 1) % n;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &degree, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &comm);
  made(comm, "W_g29");
}

// Two groups make a communicator, whose name has both.
void between_groups() {
  MPI_Comm half, both, merged, split;
  int const middle = n / 2, color = me < middle ? me : std::min(n - 1 - me, middle - 1);
  MPI_Comm_split(MPI_COMM_WORLD, me < middle ? 0 : 1, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, me < middle ? middle : 0, 5, &both);
  std::string const name = "W_i1." + ranks_from(0, middle) + "." + ranks_from(middle, n - middle) + ".t5";
  MPI_Intercomm_merge(both, me < middle ? 0 : 1, &merged), made(merged, name + "_m1");
  // Its members have other ranks on the other side, and each color has members on both: MPICH hangs otherwise.
  MPI_Comm_split(both, color, 0, &split), made(split, name + "_s2." + std::to_string(color));
  made(both, name);
}

// Each process has a tree of its own below MPI_COMM_SELF, and a row stands for the communicators of all processes with
// one name. The last process makes more of them than fit into one message.
void self() {
  MPI_Comm dup, split, cart, of_dup;
  int const dims[] = {1}, periods[] = {1};
  MPI_Comm_dup(MPI_COMM_SELF, &dup);
  MPI_Comm_split(MPI_COMM_SELF, 0, 0, &split), made(split, "SELF_s2.0");
  MPI_Cart_create(dup, 1, dims, periods, 0, &cart), made(cart, "SELF_d1_a1", false);
  for (int i = 2; me == n - 1 && i <= 900; ++i) {
    MPI_Comm_dup(dup, &of_dup);
    MPI_Comm_set_name(of_dup, std::string(120, 'x').c_str());
    made(of_dup, "SELF_d1_d" + std::to_string(i), false);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  duplicates();
  splits();
  groups();
  topologies();
  failures();
  elsewhere();
  nested();
  shapes();
  if (n > 1) between_groups();
  self();
  return workload::finish();
}
