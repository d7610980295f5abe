#include "views/output_file.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

namespace mpisee_through {

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)), stream_(path_, std::ios::binary) {
  if (!stream_) fail();
}

void OutputFile::close() {
  stream_.close();
  if (!stream_) fail();
}

void OutputFile::fail() const {
  throw OutputError(path_.string() + ": " + std::generic_category().message(errno));
}

}  // namespace mpisee_through
