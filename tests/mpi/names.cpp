// A communicator's name is the path of its creation calls, of which torture makes all kinds; here are calls that fail,
// names that the user gave, and more names than fit into one message. The counter judges parents, members and
// topologies.
#include <vector>

#include "workload.hpp"

using workload::require;

namespace {

int n, me;

// The next creation call on a communicator has made this one, if the process is a member.
void made(MPI_Comm comm, std::string const& name, bool frees = true) {
  if (comm == MPI_COMM_NULL) return;
  workload::require_name(comm, name);
  MPI_Barrier(comm);
  if (frees) MPI_Comm_free(&comm);
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
  MPI_Comm_dup(MPI_COMM_WORLD, &comm), made(comm, "W_d3");
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
  MPI_Cart_create(comms[4], 1, line, periods, 1, &comms[5]);
  MPI_Group_free(&group);
  char const* const names[] = {"W", "W_d4", "W_d4_s1.0", "W_d4_s1.0_d1", "W_d4_s1.0_d1_c1.0", "W_d4_s1.0_d1_c1.0_a1"};
  for (std::size_t i = 1; i < 6; ++i) {
    MPI_Comm_set_name(comms[i], "first");
    MPI_Comm_set_name(comms[i], ("level " + std::to_string(i)).c_str());
    made(comms[i], names[i], i != 3);
  }
  int const degree = 1, next = (me + 1) % n;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &degree, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &comms[0]);
  made(comms[0], "W_g5");
  MPI_Comm disconnected;
  MPI_Comm_dup(MPI_COMM_WORLD, &disconnected), made(disconnected, "W_d6", false);
  MPI_Comm_disconnect(&disconnected);
  MPI_Comm_set_name(MPI_COMM_WORLD, "all of us");
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
  failures();
  nested();
  self();
  return workload::finish();
}
