#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "files/profile_error.hpp"
#include "files/progress.hpp"

namespace mpisee_through {

// Bytes of a file, from the beginning of a line to the end of a line.
struct FileRange {
  std::uint64_t begin = 0;
  std::uint64_t end = UINT64_MAX;  // the default is the end of the file
};

// Reads a text file line by line, in blocks that fit the processor's cache. The caller may change the bytes of a line
// until next().
class LineReader {
 public:
  static constexpr std::size_t longest_line = std::size_t{16} << 20U;

  // Throws ProfileError if the file cannot be opened. progress: shared by all readers of the file; may be null.
  explicit LineReader(FileToRead const& file);
  LineReader(FileToRead const& file, FileRange range, std::shared_ptr<Progress> progress);
  ~LineReader();
  LineReader(LineReader const&) = delete;
  LineReader& operator=(LineReader const&) = delete;

  // Moves to the next line. False at the end of the file or the range. Throws ProfileError if the file cannot be read,
  // and for a line that is too long.
  bool next();

  // The current line without LF or CR LF.
  [[nodiscard]] std::span<char> line() const { return line_; }
  // The line's number in the file, from 1; 0 before the first. Slow in a range, where the lines in front of it have to
  // be counted.
  [[nodiscard]] std::size_t line_number() const;
  [[nodiscard]] std::uint64_t offset_of_next() const;  // of the line after this one, in the file

  // Whether the file ends in the middle of this line, without a line break.
  [[nodiscard]] bool is_cut_off() const { return cut_off_; }

 private:
  [[noreturn]] void fail_too_long() const;
  bool read_more();
  void skip_byte_order_mark();

  FileToRead file_;
  FileRange range_;
  int descriptor_;
  std::shared_ptr<Progress> progress_;  // null after the end of the file
  std::uint64_t bytes_read_ = 0;
  std::vector<char> buffer_;
  char* begin_;  // first byte that next() has not returned yet
  char* end_;
  std::span<char> line_;
  std::size_t lines_ = 0;
  bool cut_off_ = false;
};

// In bytes; 0 for a pipe, which is read sequentially.
[[nodiscard]] std::uint64_t size_of(FileToRead const& file);

}  // namespace mpisee_through
