#pragma once

#include <filesystem>

namespace mpisee_through {

// A file to read: the path to open, and the name for messages.
struct FileToRead {
  std::filesystem::path opened;
  std::filesystem::path shown;
};

}  // namespace mpisee_through
