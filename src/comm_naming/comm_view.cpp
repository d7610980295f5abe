// Asks MPI for the properties of a folded communicator.
#include "comm_naming/communicators.hpp"
#include "comm_naming/description.hpp"

namespace commprof {

int CommView::rank_of(MPI_Comm handle) {
  int rank = 0;
  PMPI_Comm_rank(handle, &rank);
  return rank;
}

bool CommView::is_inter_itself(MPI_Comm handle) {
  int is_inter = 0;
  PMPI_Comm_test_inter(handle, &is_inter);
  return is_inter != 0;
}

int CommView::remote_size_of(MPI_Comm handle) {
  int size = 0;
  PMPI_Comm_remote_size(handle, &size);
  return size;
}

int CommView::size_of(MPI_Comm handle) {
  int size = 0;
  PMPI_Comm_size(handle, &size);
  return size;
}

int CommView::root_of(MPI_Comm handle) { return is_inter_itself(handle) ? MPI_ROOT : rank_of(handle); }

int CommView::topology_of(MPI_Comm handle, Letter letter) { return communicators::topology_of(letter, handle); }

}  // namespace commprof
