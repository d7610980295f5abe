#include "files/sparse_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <optional>
#include <system_error>

#include "files/profile_error.hpp"
#include "spool/directories.hpp"

namespace mpisee_through {

namespace {

[[noreturn]] void fail(FileToRead const& file) {
  throw ProfileError(file.shown, std::nullopt, std::generic_category().message(errno));
}

// On a file system that cannot report holes, the rest of the file is one extent.
SparseFile::Extent next_extent(int descriptor, std::size_t at, std::size_t size) {
  off_t const begin = lseek(descriptor, static_cast<off_t>(at), SEEK_DATA);
  if (begin < 0) return errno == ENXIO ? SparseFile::Extent{size, size} : SparseFile::Extent{at, size};
  off_t const end = lseek(descriptor, begin, SEEK_HOLE);
  return {std::min(static_cast<std::size_t>(begin), size),
          end < 0 ? size : std::min(static_cast<std::size_t>(end), size)};
}

}  // namespace

SparseFile::SparseFile(FileToRead const& file) {
  commprof::Descriptor const opened(::open(file.opened.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat facts {};
  if (!opened || ::fstat(opened.get(), &facts) != 0) fail(file);
  size_ = static_cast<std::size_t>(facts.st_size);
  contents_.reset(static_cast<char*>(std::calloc(std::max<std::size_t>(size_, 1), 1)));
  if (!contents_) throw std::bad_alloc();
  for (std::size_t at = 0; at < size_;) {
    Extent const extent = next_extent(opened.get(), at, size_);
    for (at = extent.begin; at < extent.end;) {
      ssize_t const n = ::pread(opened.get(), contents_.get() + at, extent.end - at, static_cast<off_t>(at));
      if (n < 0 && errno != EINTR) fail(file);
      if (n == 0) size_ = at;  // the file became shorter
      if (n == 0) break;
      if (n > 0) at += static_cast<std::size_t>(n);
    }
    if (extent.begin < at) extents_.push_back({extent.begin, at});
  }
}

std::size_t SparseFile::next_data(std::size_t at) const {
  auto const extent = std::ranges::upper_bound(extents_, at, {}, &Extent::end);
  return extent == extents_.end() ? size_ : std::max(at, extent->begin);
}

}  // namespace mpisee_through
