#include "comm_naming/windows.hpp"

#include "comm_naming/communicators.hpp"

namespace commprof::windows {

namespace {
int keyval = MPI_KEYVAL_INVALID;
constinit Origins live_windows;
}  // namespace

bool start() {
  return PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &keyval, nullptr) == MPI_SUCCESS;
}

void created(MPI_Comm comm, MPI_Win win) {
  CommIndex const index = communicators::of(comm);
  PMPI_Win_set_attr(win, keyval, reinterpret_cast<void*>(static_cast<std::uintptr_t>(index)));
  live_windows.add(handle_bits(win), index);
}

CommIndex of(MPI_Win win) {
  void* value = nullptr;
  int found = 0;
  PMPI_Win_get_attr(win, keyval, &value, &found);
  // The creation of the window was not seen: an MPI may make windows by itself.
  return found != 0 ? static_cast<CommIndex>(reinterpret_cast<std::uintptr_t>(value)) : CommIndex::self;
}

CommIndex of_doubtful(MPI_Win win) { return live_windows.of(handle_bits(win)); }

Release::Release(MPI_Win const* win) : release_(live_windows, handle_bits(win == nullptr ? MPI_WIN_NULL : *win)) {}

CommIndex Release::index(int result) const {
  bool const is_freed = result == MPI_SUCCESS;
  CommIndex const known = release_.comm(is_freed);
  return is_freed && known == CommIndex::unknown ? CommIndex::self : known;
}

}  // namespace commprof::windows
