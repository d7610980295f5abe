#include <mutex>

#include "base/index.hpp"
#include "mpi/library_version.hpp"
#include "mpi/mpi.hpp"
#include "run/participants.hpp"
#include "run/run.hpp"

namespace commprof::self_attributes {

namespace {

// When each keyval's attribute was last set, as the number among all settings; 0: there is no attribute now. MPIs reuse
// the integers of freed keyvals, so these are as many as there are keyvals at one time.
constinit Index<std::uint64_t, std::uint64_t> settings_of;
std::uint64_t last = 0;

std::uint64_t key_of(int keyval) { return std::uint64_t{1} << 32 | static_cast<std::uint32_t>(keyval); }

std::mutex mutex;

// The keyval that was set last.
int latest() {
  std::lock_guard const lock(mutex);
  std::uint64_t key = 0, latest = 0;
  settings_of.for_each([&](std::uint64_t one, std::uint64_t number) {
    if (number <= latest) return;
    key = one;
    latest = number;
  });
  return latest == 0 ? MPI_KEYVAL_INVALID : static_cast<int>(static_cast<std::uint32_t>(key));
}

}  // namespace

void was_set(int keyval) {
  std::lock_guard const lock(mutex);
  std::uint64_t* const number = settings_of.find_or_add(key_of(keyval));
  // An attribute that is set again keeps its place; in Open MPI it becomes the latest.
  if (number != nullptr && (*number == 0 || is_open_mpi())) *number = ++last;
}

void was_deleted(int keyval) {
  std::lock_guard const lock(mutex);
  if (std::uint64_t* const number = settings_of.find(key_of(keyval))) *number = 0;
}

void delete_all() {
  ErrorsReturned const ours(MPI_COMM_SELF);
  for (int keyval = latest(); keyval != MPI_KEYVAL_INVALID; keyval = latest()) {
    if (PMPI_Comm_delete_attr(MPI_COMM_SELF, keyval) != MPI_SUCCESS) return;
    was_deleted(keyval);
  }
}

}  // namespace commprof::self_attributes
