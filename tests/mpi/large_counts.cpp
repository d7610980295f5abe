// The calls with large counts count as those without, also where a count or its bytes need more than 32 bits.
#include <sys/mman.h>

#include <vector>

#include "workload.hpp"

using workload::require;
using workload::Ring;

namespace {

constexpr MPI_Count huge = 3'000'000'000;

struct Program {
  Ring const& comm;
  std::vector<int> out = std::vector<int>(100), in = std::vector<int>(100);

  void point_to_point() {
    MPI_Request requests[2];
    MPI_Irecv_c(in.data(), 100, MPI_INT, comm.left(), 0, comm.handle, &requests[0]);
    MPI_Send_c(out.data(), 7, MPI_INT, comm.right(), 0, comm.handle);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Isend_c(out.data(), 7, MPI_INT, comm.right(), 0, comm.handle, &requests[0]);
    MPI_Recv_c(in.data(), 100, MPI_INT, comm.left(), 0, comm.handle, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Sendrecv_c(out.data(), 7, MPI_INT, comm.right(), 0, in.data(), 100, MPI_INT, comm.left(), 0, comm.handle,
                   MPI_STATUS_IGNORE);
    MPI_Recv_init_c(in.data(), 100, MPI_INT, comm.left(), 0, comm.handle, &requests[0]);
    MPI_Send_init_c(out.data(), 7, MPI_INT, comm.right(), 0, comm.handle, &requests[1]);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (MPI_Request& request : requests) MPI_Request_free(&request);
  }

  void collectives() {
    auto const others = static_cast<std::size_t>(comm.size);
    std::vector<MPI_Count> const counts(others, 3);
    std::vector<MPI_Aint> places;
    for (int i = 0; i < comm.size; ++i) places.push_back(3 * i);
    MPI_Bcast_c(out.data(), 7, MPI_INT, 0, comm.handle);
    MPI_Allreduce_c(out.data(), in.data(), 7, MPI_INT, MPI_SUM, comm.handle);
    MPI_Allgatherv_c(out.data(), 3, MPI_INT, in.data(), counts.data(), places.data(), MPI_INT, comm.handle);
    MPI_Alltoallv_c(out.data(), counts.data(), places.data(), MPI_INT, in.data(), counts.data(), places.data(), MPI_INT,
                    comm.handle);
    MPI_Reduce_scatter_c(out.data(), in.data(), counts.data(), MPI_INT, MPI_SUM, comm.handle);
    MPI_Request request;
    MPI_Iallreduce_c(out.data(), in.data(), 7, MPI_INT, MPI_SUM, comm.handle, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }

  // More than 2^31 elements: of zero bytes, or to MPI_PROC_NULL.
  void huge_and_empty() {
    MPI_Datatype nothing;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    MPI_Request request;
    MPI_Irecv_c(in.data(), huge, nothing, comm.left(), 0, comm.handle, &request);
    MPI_Send_c(out.data(), huge, nothing, comm.right(), 0, comm.handle);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send_c(out.data(), huge, MPI_INT, MPI_PROC_NULL, 0, comm.handle);
    MPI_Type_free(&nothing);
  }

  // More than 2^32 bytes that need not move: each process has its only block in place.
  void huge_in_place() {
    constexpr std::size_t size = huge * sizeof(int);
    void* const room = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    require(room != MAP_FAILED, "no address space");
    MPI_Allgather_c(MPI_IN_PLACE, 0, MPI_INT, room, huge, MPI_INT, MPI_COMM_SELF);
    munmap(room, size);
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  Ring const comm(dup);
  Program program{comm};
  program.point_to_point();
  program.collectives();
  program.huge_and_empty();
  program.huge_in_place();
  return workload::finish();
}
