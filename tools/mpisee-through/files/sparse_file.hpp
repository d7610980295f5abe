#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "files/profile_error.hpp"

namespace mpisee_through {

// The contents of a regular file. Holes are not read and take no memory.
class SparseFile {
 public:
  // Throws ProfileError.
  explicit SparseFile(FileToRead const& file);

  struct Extent {
    std::size_t begin, end;  // bytes of the file
  };

  [[nodiscard]] std::string_view bytes() const { return {contents_.get(), size_}; }

  // The parts of the file with data, in order. Bytes between them are 0.
  [[nodiscard]] std::vector<Extent> const& extents() const { return extents_; }

  // The first offset from `at` on that is not in a hole, or the size of the file.
  [[nodiscard]] std::size_t next_data(std::size_t at) const;

 private:
  struct Free {
    void operator()(char* memory) const { std::free(memory); }
  };

  std::unique_ptr<char[], Free> contents_;
  std::size_t size_ = 0;
  std::vector<Extent> extents_;
};

}  // namespace mpisee_through
