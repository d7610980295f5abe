// Freed communicators keep their records, in whatever order each process frees them, whatever is pending on them, and
// whatever gets their handles next.
#include <vector>

#include "workload.hpp"

using workload::Ring;

namespace {

// On communicator i each process sends itself i + 1 ints; on some, process i, counted round, broadcasts them too.
void use(MPI_Comm comm, std::string const& name, int i) {
  Ring const ring(comm);
  workload::require_name(comm, name);
  std::vector<int> out(static_cast<std::size_t>(i + 1)), in(out);
  MPI_Sendrecv(out.data(), i + 1, MPI_INT, ring.rank, 0, in.data(), i + 1, MPI_INT, ring.rank, 0, comm,
               MPI_STATUS_IGNORE);
  if (i % 10 == 3) MPI_Bcast(out.data(), i + 1, MPI_INT, i % ring.size, comm);
}

// Handles are used again, on each process in another order.
void free_in_different_orders() {
  constexpr int number = 100;
  std::vector<MPI_Comm> comms(number);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; i < number; ++i) use(comms[static_cast<std::size_t>(i)], "W_d" + std::to_string(i + 1), i);
  // Steps without a common factor with 100 visit all communicators.
  int const steps[] = {1, 99, 7, 9, 11, 13, 17, 19};
  int const rank = Ring(MPI_COMM_WORLD).rank, step = steps[rank % 8];
  for (int k = 0; k < number; ++k) MPI_Comm_free(&comms[static_cast<std::size_t>((k * step + 31 * rank) % number)]);
  for (int i = 101; i <= 110; ++i)
    MPI_Comm_dup(MPI_COMM_WORLD, comms.data()), use(comms[0], "W_d" + std::to_string(i), i);
}

void use_handles_again() {
  int reused = 0, most_reused = 0, rank = Ring(MPI_COMM_WORLD).rank;
  for (int ordinal = 111; ordinal < 131; ordinal += 2) {
    MPI_Comm old_comm, new_comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &old_comm);
    MPI_Comm const handle = old_comm;
    MPI_Barrier(old_comm);
    MPI_Comm_free(&old_comm);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &new_comm);
    if (new_comm == handle) ++reused;
    use(new_comm, "W_s" + std::to_string(ordinal + 1) + ".0", 3);
    MPI_Comm_free(&new_comm);
  }
  // Handles are addresses in Open MPI; not every process reuses them.
  PMPI_Allreduce(&reused, &most_reused, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  workload::require(most_reused > 0, "no handle is used again: the test shows nothing on this MPI");
}

// The messages of a freed communicator arrive while another one has its handle.
void free_with_messages_pending() {
  constexpr int size = 50000;  // too large to be sent before the receive is there
  std::vector<int> out(size), in(size);
  MPI_Comm comm, next;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  Ring const ring(comm);
  MPI_Request requests[2];
  MPI_Isend(out.data(), size, MPI_INT, ring.right(), 0, comm, &requests[0]);
  MPI_Irecv(in.data(), size, MPI_INT, ring.left(), 0, comm, &requests[1]);
  MPI_Comm_free(&comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &next);
  MPI_Barrier(next);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  free_in_different_orders();
  use_handles_again();
  free_with_messages_pending();
  return workload::finish();
}
