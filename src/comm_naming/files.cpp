#include "comm_naming/files.hpp"

#include <mutex>

#include "base/dropped.hpp"
#include "comm_naming/communicators.hpp"
#include "counters/counters.hpp"
#include "request_table/request_table.hpp"

namespace commprof::files {

namespace {
std::mutex mutex;
RequestTable open_files;  // maps a handle to its communicator, as for requests
}  // namespace

void opened(MPI_Comm comm, MPI_File file) {
  IssuedRequest const opened{.key = RecordKey::of(communicators::of(comm), 0)};
  Guard const lock(mutex);
  if (!open_files.insert(handle_bits(file), 0, opened)) dropped::count(Dropped::requests);
}

CommIndex of(MPI_File file) {
  Guard const lock(mutex);
  PendingRequest const* const entry = open_files.find(handle_bits(file), 0);
  return entry == nullptr ? CommIndex::self : entry->comm();
}

Release::Release(MPI_File const* file) : handle_(file == nullptr ? MPI_FILE_NULL : *file) {}

CommIndex Release::index(int result) const {
  CommIndex const index = of(handle_);
  PendingRequest entry;
  Guard const lock(mutex);
  if (result == MPI_SUCCESS) open_files.remove(handle_bits(handle_), 0, entry);
  return index;
}

}  // namespace commprof::files
