#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace mpisee_through {

// A file that cannot be written. what() is one line, "FILE: problem".
class OutputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file that the user named, new or written over.
class OutputFile {
 public:
  // Throws OutputError.
  explicit OutputFile(std::filesystem::path path);

  std::ofstream& stream() { return stream_; }
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  // To be called at the end. Throws OutputError if anything could not be written.
  void close();

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::ofstream stream_;
};

}  // namespace mpisee_through
