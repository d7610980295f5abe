// MPI_COMM_SELF is the root of a tree of its own. Each process has such a tree, with the same names, so one row stands
// for the communicators of all processes with that name.
#include "workload.hpp"

namespace {

void use(MPI_Comm comm, std::string const& name) {
  workload::require_name(comm, name);
  int value = 0, sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm dup, split, cart;
  int const dims[] = {1}, periods[] = {1};
  MPI_Comm_dup(MPI_COMM_SELF, &dup);
  MPI_Comm_split(MPI_COMM_SELF, 0, 0, &split);
  MPI_Cart_create(dup, 1, dims, periods, 0, &cart);
  use(MPI_COMM_SELF, "SELF");
  use(dup, "SELF_d1");
  use(split, "SELF_s2.0");
  use(cart, "SELF_d1_a1");
  MPI_Comm_free(&split);

  // Some processes create more of them than others; the last one creates more than fit into one message.
  workload::Ring const world(MPI_COMM_WORLD);
  if (world.rank == world.size - 1) {
    MPI_Comm_dup(MPI_COMM_SELF, &dup);
    use(dup, "SELF_d3");
    for (int i = 1; i <= 900; ++i) {
      MPI_Comm made;
      MPI_Comm_dup(dup, &made);
      MPI_Comm_set_name(made, std::string(120, 'x').c_str());
      use(made, "SELF_d3_d" + std::to_string(i));
    }
  }
  return workload::finish();
}
