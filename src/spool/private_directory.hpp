// Directories of this user alone, below paths in which others may write, such as /tmp.
#pragma once

#include <unistd.h>

#include <utility>

namespace commprof {

// A descriptor that is closed with it.
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

// Opens a directory that belongs to this user, to make files in it. Where it is missing, it is made for this user
// alone, and so is what is missing above it. What exists above it may belong to anybody and may be reached by symbolic
// links, with one exception: what lies in a directory where everybody may make something and remove only what is his
// own, such as /tmp, must belong to this user, to the superuser or to the owner of that directory. No descriptor on
// failure; errno says why.
Descriptor open_private_directory(char const* path);

}  // namespace commprof
