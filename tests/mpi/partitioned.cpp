// Partitioned messages: a start counts with all partitions that are sent; that of a receive when they have arrived.
// Calls that mark or query partitions count on the communicator of the request.
#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

constexpr int partitions = 6, in_each = 5, starts = 3;
int out[partitions * in_each], in[partitions * in_each];

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  test.expect("W", "Comm_dup", {1, 0, 0});
  NamedComm const comm(dup, "W_d1");
  std::uint64_t const m = bytes(partitions * in_each, MPI_INT);

  MPI_Request send, receive;
  MPI_Psend_init(out, partitions, in_each, MPI_INT, comm.right(), 1, dup, MPI_INFO_NULL, &send);
  MPI_Precv_init(in, partitions, in_each, MPI_INT, comm.left(), 1, dup, MPI_INFO_NULL, &receive);
  for (int start = 0; start < starts; ++start) {
    for (int i = 0; i < partitions * in_each; ++i) out[i] = 100 * start + i, in[i] = -1;
    MPI_Start(&receive);
    MPI_Start(&send);
    MPI_Pready(5, send);
    MPI_Pready_range(0, 2, send);
    int rest[] = {3, 4};
    MPI_Pready_list(2, rest, send);
    for (int partition = 0; partition < partitions; ++partition)
      for (int arrived = 0; arrived == 0;) MPI_Parrived(receive, partition, &arrived);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    test.require(in[partitions * in_each - 1] == 100 * start + partitions * in_each - 1, "the message has not arrived");
  }
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
  test.expect(comm.name, "Psend_init", {1, 0, 0});
  test.expect(comm.name, "Precv_init", {1, 0, 0});
  test.expect(comm.name, "Start", {2 * starts, starts * m, starts * m});
  for (char const* const op : {"Pready", "Pready_range", "Pready_list"}) test.expect(comm.name, op, {starts, 0, 0});
  test.expect(comm.name, "Parrived", {starts * partitions, 0, 0});
  test.ignore("Parrived-none");
  test.expect(comm.name, "Wait", {2 * starts, 0, 0});
  test.expect(comm.name, "Request_free", {2, 0, 0});
  return test.finish();
}
