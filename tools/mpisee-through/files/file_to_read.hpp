#pragma once

#include <filesystem>

namespace mpisee_through {

// A file to read: by which name it is opened, and what to call it in messages.
struct FileToRead {
  std::filesystem::path opened;
  std::filesystem::path shown;
};

}  // namespace mpisee_through
