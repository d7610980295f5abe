#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "files/file_to_read.hpp"

namespace mpisee_through {

// The contents of a regular file. Its holes are neither read nor do they take memory.
class SparseFile {
 public:
  // Throws ProfileError.
  explicit SparseFile(FileToRead const& file);

  struct Extent {
    std::size_t begin, end;  // bytes of the file
  };

  [[nodiscard]] std::string_view bytes() const { return {contents_.get(), size_}; }

  // What is not a hole, in order. Bytes between two extents are 0.
  [[nodiscard]] std::vector<Extent> const& extents() const { return extents_; }

  // The first place from `at` on that does not lie in a hole, or the size of the file.
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
