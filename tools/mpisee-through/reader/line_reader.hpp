#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "files/progress.hpp"
#include "reader/profile_files.hpp"

namespace mpisee_through {

// A text file, line after line, in blocks of a size that fits the processor's cache. The bytes of a line are the
// caller's to change until next().
class LineReader {
 public:
  static constexpr std::size_t longest_line = std::size_t{16} << 20U;

  // Throws ProfileError if the file cannot be opened.
  explicit LineReader(FileToRead const& file);
  ~LineReader();
  LineReader(LineReader const&) = delete;
  LineReader& operator=(LineReader const&) = delete;

  // Moves to the next line. False at the end of the file. Throws ProfileError if the file cannot be read, and for a
  // line that is too long.
  bool next();

  // Without its end, which is LF or CR LF.
  [[nodiscard]] std::span<char> line() const { return line_; }
  [[nodiscard]] std::size_t line_number() const { return line_number_; }  // from 1; 0 before the first

  // Whether the line has no end: the file was cut off in it.
  [[nodiscard]] bool is_cut_off() const { return cut_off_; }

 private:
  [[noreturn]] void fail_too_long() const;
  bool read_more();
  void skip_byte_order_mark();

  std::filesystem::path file_;  // in messages
  int descriptor_;
  std::optional<Progress> progress_;  // until the end of the file
  std::uint64_t bytes_read_ = 0;
  std::vector<char> buffer_;
  char* begin_;  // of the bytes that no line has been made of yet
  char* end_;
  std::span<char> line_;
  std::size_t line_number_ = 0;
  bool cut_off_ = false;
};

}  // namespace mpisee_through
