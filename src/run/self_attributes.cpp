#include "run/self_attributes.hpp"

#include <algorithm>
#include <mutex>

#include "base/memory.hpp"
#include "mpi/library_version.hpp"
#include "mpi/mpi.hpp"
#include "run/errors_returned.hpp"

namespace commprof::self_attributes {

namespace {

std::mutex mutex;
constinit LastingVector<int> keyvals;  // in the order in which MPI_Finalize deletes them, the first one last

void forget(int keyval) {
  int* const place = std::find(keyvals.begin(), keyvals.end(), keyval);
  if (place == keyvals.end()) return;
  std::move(place + 1, keyvals.end(), place);
  keyvals.pop_back();
}

int latest() {
  std::lock_guard const lock(mutex);
  return keyvals.size() == 0 ? MPI_KEYVAL_INVALID : *(keyvals.end() - 1);
}

}  // namespace

void was_set(int keyval) {
  std::lock_guard const lock(mutex);
  if (is_open_mpi()) forget(keyval);  // an attribute that is set again is the latest; elsewhere it keeps its place
  if (std::find(keyvals.begin(), keyvals.end(), keyval) == keyvals.end()) keyvals.push_back(keyval);
}

void was_deleted(int keyval) {
  std::lock_guard const lock(mutex);
  forget(keyval);
}

void delete_all() {
  ErrorsReturned const ours(MPI_COMM_SELF);
  for (int keyval = latest(); keyval != MPI_KEYVAL_INVALID; keyval = latest()) {
    if (PMPI_Comm_delete_attr(MPI_COMM_SELF, keyval) != MPI_SUCCESS) return;
    was_deleted(keyval);
  }
}

}  // namespace commprof::self_attributes
