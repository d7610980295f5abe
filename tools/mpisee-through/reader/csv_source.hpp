#pragma once

#include <filesystem>

namespace mpisee_through {

// The bytes of a file, for the CSV parser, in a shape that the parser is safe with: the last line always ends in a
// newline, since without one the parser reads past the bytes it was given; and no NUL bytes, since it takes one for the
// end of the line. Both are repaired here, and the first is remembered: it means that the file was cut off.
class CsvSource {
 public:
  // Throws ProfileError if the file cannot be opened.
  explicit CsvSource(std::filesystem::path file);
  ~CsvSource();
  CsvSource(CsvSource const&) = delete;
  CsvSource& operator=(CsvSource const&) = delete;

  // Fills the buffer unless the file ends. Throws ProfileError if the file cannot be read.
  int read(char* buffer, int size);

  // Known once the last bytes have been read, thus before the last line is parsed.
  [[nodiscard]] bool lacked_last_newline() const { return lacked_last_newline_; }

 private:
  std::filesystem::path file_;
  int descriptor_;
  char last_byte_ = '\n';
  bool lacked_last_newline_ = false;
};

}  // namespace mpisee_through
