#include "comm_naming/files.hpp"

#include "comm_naming/communicators.hpp"

namespace commprof::files {

namespace {
constinit Origins open_files;
CommIndex self_if_unknown(CommIndex comm) { return comm == CommIndex::unknown ? CommIndex::self : comm; }
}  // namespace

void opened(MPI_Comm comm, MPI_File file) { open_files.add(handle_bits(file), communicators::of(comm)); }

CommIndex of(MPI_File file) { return self_if_unknown(open_files.of(handle_bits(file))); }

Release::Release(MPI_File const* file) : release_(open_files, handle_bits(file == nullptr ? MPI_FILE_NULL : *file)) {}

CommIndex Release::index(int result) const { return self_if_unknown(release_.comm(result == MPI_SUCCESS)); }

}  // namespace commprof::files
