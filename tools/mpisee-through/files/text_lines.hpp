// Reads text files line by line, and words, numbers and lists of hosts in them.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "files/profile_error.hpp"

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

  // Throws ProfileError if the file cannot be opened.
  explicit LineReader(FileToRead const& file, FileRange range = {});
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

struct TextLine {
  std::size_t number;  // from 1
  std::string text;    // without comment and surrounding blanks; not empty
};

// Throws ProfileError if the file cannot be read. continued: a backslash at the end joins a line with the next one.
[[nodiscard]] std::vector<TextLine> read_text_lines(std::filesystem::path const& file, bool continued = false);

// Splits the text at blanks.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

// The names in Slurm's notation: "node[01-16,20],login1". Nothing for malformed text, or for more than a million names.
[[nodiscard]] std::optional<std::vector<std::string>> expand_host_list(std::string_view list);

// The number that the whole text denotes, in decimals. Nothing if it is malformed or too large for the type.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text) {
  Number number{};
  if constexpr (std::is_floating_point_v<Number>) {  // GCC 10 has from_chars() only for integers
    if (text.find_first_not_of("0123456789.-+eE") != text.npos || text.starts_with('+')) return std::nullopt;
    std::string const own(text);
    char* end = nullptr;
    number = std::strtod(own.c_str(), &end);
    return !own.empty() && *end == '\0' && std::isfinite(number) ? std::optional(number) : std::nullopt;
  } else {
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
  }
}

}  // namespace mpisee_through
