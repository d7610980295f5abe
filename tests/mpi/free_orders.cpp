// Freed communicators keep their records, in whatever order each process frees them, whatever is pending on them, and
// whatever gets their handles next.
#include <string>
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

// On communicator i each process sends itself i + 1 ints; on some, process i, counted round, broadcasts them too.
void use(ProfileTest& test, NamedComm const& comm, int i) {
  std::vector<int> out(static_cast<std::size_t>(i + 1)), in(out);
  std::uint64_t const m = bytes(i + 1, MPI_INT);
  MPI_Sendrecv(out.data(), i + 1, MPI_INT, comm.rank, 0, in.data(), i + 1, MPI_INT, comm.rank, 0, comm.handle,
               MPI_STATUS_IGNORE);
  test.expect(comm.name, "Sendrecv", {1, m, m});
  if (i % 10 != 3) return;
  int const root = i % comm.size;
  MPI_Bcast(out.data(), i + 1, MPI_INT, root, comm.handle);
  test.expect(comm.name, "Bcast", {1, 0, comm.rank == root ? 0 : m});
}

void free_in_different_orders(ProfileTest& test) {
  constexpr int n = 100;
  std::vector<MPI_Comm> comms(n);
  auto const name = [](int i) { return "W_d" + std::to_string(i + 1); };
  for (int i = 0; i < n; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[static_cast<std::size_t>(i)]);
    test.expect("W", "Comm_dup", {1, 0, 0});
  }
  for (int i = 0; i < n; ++i) use(test, {comms[static_cast<std::size_t>(i)], name(i)}, i);

  // A step without a common factor with 100 visits all communicators; other steps are adjusted.
  int const steps[] = {1, 99, 7, 9, 11, 13, 17, 19};
  int const step = steps[test.rank % 8];
  for (int k = 0; k < n; ++k) {
    int const i = (k * step + 31 * test.rank) % n;
    MPI_Comm_free(&comms[static_cast<std::size_t>(i)]);
    test.expect(name(i), "Comm_free", {1, 0, 0});
    test.expect_communicator(name(i), {{"created_by", "Comm_dup"}, {"parent", "W"}, {"freed", "1"}});
  }
}

// Creates communicators again, when freed handles are reused in another order on each process.
void create_again(ProfileTest& test) {
  for (int i = 101; i <= 110; ++i) {
    std::string const name = "W_d" + std::to_string(i);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    test.expect("W", "Comm_dup", {1, 0, 0});
    use(test, {comm, name}, i);
    test.expect_communicator(name, {{"freed", "0"}});
  }
}

void reuse_handles(ProfileTest& test) {
  int reused = 0;
  for (int ordinal = 111; ordinal < 131; ordinal += 2) {
    std::string const old_name = "W_d" + std::to_string(ordinal), new_name = "W_s" + std::to_string(ordinal + 1) + ".0";
    MPI_Comm old_comm, new_comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &old_comm);
    MPI_Comm const handle = old_comm;
    MPI_Barrier(old_comm);
    MPI_Comm_free(&old_comm);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -test.rank, &new_comm);
    if (new_comm == handle) ++reused;
    use(test, {new_comm, new_name}, 3);
    MPI_Comm_free(&new_comm);
    test.expect("W", "Comm_dup", {1, 0, 0});
    test.expect("W", "Comm_split", {1, 0, 0});
    test.expect(old_name, "Barrier", {1, 0, 0});
    test.expect(old_name, "Comm_free", {1, 0, 0});
    test.expect(new_name, "Comm_free", {1, 0, 0});
    test.expect_communicator(old_name, {{"created_by", "Comm_dup"}, {"freed", "1"}});
    test.expect_communicator(new_name, {{"created_by", "Comm_split"}, {"freed", "1"}});
  }
  // Handles are addresses in Open MPI; not every process reuses them.
  int most_reused = 0;
  PMPI_Allreduce(&reused, &most_reused, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  test.require(most_reused > 0, "no handle is used again: the test shows nothing on this MPI");
}

// The messages of a freed communicator arrive while another one has its handle.
void free_with_messages_pending(ProfileTest& test) {
  constexpr int size = 50000;  // too large to be sent before the receive is there
  std::vector<int> out(size), in(size);
  MPI_Comm comm, next;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  NamedComm const pending(comm, "W_d131");
  MPI_Request requests[2];
  MPI_Isend(out.data(), size, MPI_INT, pending.right(), 0, comm, &requests[0]);
  MPI_Irecv(in.data(), size, MPI_INT, pending.left(), 0, comm, &requests[1]);
  MPI_Comm_free(&comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &next);
  MPI_Barrier(next);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  test.expect("W", "Comm_dup", {2, 0, 0});
  test.expect(pending.name, "Isend", {1, bytes(size, MPI_INT), 0});
  test.expect(pending.name, "Irecv", {1, 0, bytes(size, MPI_INT)});
  test.expect(pending.name, "Comm_free", {1, 0, 0});
  test.expect(pending.name, "Waitall", {1, 0, 0});
  test.expect("W_d132", "Barrier", {1, 0, 0});
  test.expect_communicator(pending.name, {{"freed", "1"}});
}

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  free_in_different_orders(test);
  create_again(test);
  reuse_handles(test);
  free_with_messages_pending(test);
  test.expect_conservation();
  return test.finish();
}
