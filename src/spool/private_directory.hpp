// Private directories of this user, below paths that others may write to, such as /tmp.
#pragma once

#include <unistd.h>

#include <utility>

namespace commprof {

// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

// Opens a directory that belongs to this user, to make files in it. Missing directories of the path are made with mode
// 0700. Existing ones above it may belong to anybody and may be symbolic links, with one exception: an entry of a
// world-writable sticky directory, such as /tmp, must belong to this user, to root or to the owner of that directory.
// No descriptor on failure; errno says why.
Descriptor open_private_directory(char const* path);

}  // namespace commprof
