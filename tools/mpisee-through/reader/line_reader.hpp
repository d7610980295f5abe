#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "files/progress.hpp"
#include "reader/profile_files.hpp"

namespace mpisee_through {

// Bytes of a file, from the begin of a line to the end of one.
struct FileRange {
  std::uint64_t begin = 0;
  std::uint64_t end = UINT64_MAX;  // or the end of the file
};

// A text file, line after line, in blocks of a size that fits the processor's cache. The bytes of a line are the
// caller's to change until next().
class LineReader {
 public:
  static constexpr std::size_t longest_line = std::size_t{16} << 20U;

  // Throws ProfileError if the file cannot be opened. progress: of all readers of the file; none if it is null.
  explicit LineReader(FileToRead const& file);
  LineReader(FileToRead const& file, FileRange range, std::shared_ptr<Progress> progress);
  ~LineReader();
  LineReader(LineReader const&) = delete;
  LineReader& operator=(LineReader const&) = delete;

  // Moves to the next line. False at the end of the file or the range. Throws ProfileError if the file cannot be read,
  // and for a line that is too long.
  bool next();

  // Without its end, which is LF or CR LF.
  [[nodiscard]] std::span<char> line() const { return line_; }
  // In the file, from 1; 0 before the first. Slow in a range, where the lines in front of it have to be counted.
  [[nodiscard]] std::size_t line_number() const;
  [[nodiscard]] std::uint64_t offset_of_next() const;  // of the line after this one, in the file

  // Whether the line has no end: the file was cut off in it.
  [[nodiscard]] bool is_cut_off() const { return cut_off_; }

 private:
  [[noreturn]] void fail_too_long() const;
  bool read_more();
  void skip_byte_order_mark();

  FileToRead file_;
  FileRange range_;
  int descriptor_;
  std::shared_ptr<Progress> progress_;  // until the end of the file
  std::uint64_t bytes_read_ = 0;
  std::vector<char> buffer_;
  char* begin_;  // of the bytes that no line has been made of yet
  char* end_;
  std::span<char> line_;
  std::size_t lines_ = 0;
  bool cut_off_ = false;
};

// The size of a regular file; nothing for other kinds, which are read from their begin to their end.
[[nodiscard]] std::optional<std::uint64_t> size_of_regular(FileToRead const& file);

}  // namespace mpisee_through
