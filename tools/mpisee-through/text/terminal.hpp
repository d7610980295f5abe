// Where output goes: to a terminal, or to a file that the user named.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "files/names.hpp"

namespace mpisee_through {

enum class ColorWhen { automatic, always, never };
inline constexpr Names<ColorWhen, 3> color_times{
    {{{ColorWhen::automatic, "auto"}, {ColorWhen::always, "always"}, {ColorWhen::never, "never"}}}};

// The abilities of the output that text goes to.
struct Terminal {
  std::size_t width = default_width;
  bool has_width = false;  // someone has said how wide it is
  bool is_terminal = false;
  bool color = false;
  bool utf8 = true;

  static constexpr std::size_t default_width = 100;
  static constexpr std::size_t least_width = 60;

  [[nodiscard]] std::string bold(std::string_view text) const { return paint("1", text); }
  [[nodiscard]] std::string dim(std::string_view text) const { return paint("2", text); }
  [[nodiscard]] std::string green(std::string_view text) const { return paint("32", text); }
  [[nodiscard]] std::string red(std::string_view text) const { return paint("31", text); }
  [[nodiscard]] std::string cyan(std::string_view text) const { return paint("36", text); }
  [[nodiscard]] std::string yellow(std::string_view text) const { return paint("33;1", text); }

  // A bar for a share from 0 to 1, without trailing blanks. Any share above 0 gets a visible bar.
  [[nodiscard]] std::string bar(double part, std::size_t length) const;

 private:
  [[nodiscard]] std::string paint(std::string_view code, std::string_view text) const;
};

// The abilities of standard output. The width is that of COLUMNS or the terminal, whichever is known first, else 100.
// Colours need a terminal, and NO_COLOR unset. UTF-8 depends on the first of LC_ALL, LC_CTYPE and LANG that is set.
[[nodiscard]] Terminal find_terminal(ColorWhen color);

// Breaks text into lines of this width. Lines after the first are indented; the caller has written the indentation of
// the first. A word longer than a line gets a line of its own.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

// Converts a stream's output to ASCII. Characters that this tool draws with are replaced by similar ones (µ by u),
// other characters outside ASCII by \xNN. Replaces the buffer of the stream during its lifetime.
class AsciiOutput : public std::streambuf {
 public:
  explicit AsciiOutput(std::ostream& stream) : stream_(stream), target_(stream.rdbuf(this)) {}
  ~AsciiOutput() override { stream_.rdbuf(target_); }
  AsciiOutput(AsciiOutput const&) = delete;
  AsciiOutput& operator=(AsciiOutput const&) = delete;

 protected:
  int_type overflow(int_type character) override;
  int sync() override { return target_->pubsync(); }

 private:
  bool put(std::string_view text);

  std::ostream& stream_;
  std::streambuf* target_;
  std::string pending_;  // first bytes of an incomplete character
};

// A file could not be written. what() is one line, "FILE: problem".
class OutputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file that the user named. It appears with close(), whole, in place of an existing one; without, nothing changes.
// Links, pipes and devices are written to as they are.
class OutputFile {
 public:
  // Throws OutputError.
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(OutputFile const&) = delete;
  OutputFile& operator=(OutputFile const&) = delete;

  std::ofstream& stream() { return stream_; }
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  // Must be called at the end. Throws OutputError if anything could not be written.
  void close();

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_, unfinished_;  // the same of a link, a pipe or a device
  std::ofstream stream_;
};

// Throws OutputError if the file is one of the profile.
void check_no_part_of_profile(std::filesystem::path const& file, std::filesystem::path const& profile);

}  // namespace mpisee_through
