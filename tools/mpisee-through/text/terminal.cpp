#include "text/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "files/text_lines.hpp"
#include "files/visible_text.hpp"
#include "profile/schema.hpp"
#include "text/units.hpp"

namespace mpisee_through {

namespace {

constexpr std::pair<std::string_view, std::string_view> likes[] = {
    {"µ", "u"}, {"×", "x"}, {"–", "-"}, {"…", "..."}, {"→", ">"}, {"±", "+-"}, {"▁", "1"},
    {"▂", "2"}, {"▃", "3"}, {"▄", "4"}, {"▅", "5"},   {"▆", "6"}, {"▇", "7"},  {"█", "8"}};

// The length of the UTF-8 character that begins with this byte.
std::size_t length_of(unsigned char first) { return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4; }

std::string ascii_of(std::string_view character) {
  for (auto const& [one, like] : likes) {
    if (character == one) return std::string(like);
  }
  std::string text;
  for (char const byte : character) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string_view variable(char const* name) {
  char const* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

std::optional<std::size_t> width_of_variable() {
  auto const width = number_in<std::size_t>(variable("COLUMNS"));
  return width && *width > 0 ? width : std::nullopt;
}

std::optional<std::size_t> width_of_window() {
  winsize window{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return {};
  return window.ws_col;
}

bool is_utf8_locale() {
  std::string locale;
  for (char const* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    locale = variable(name);
    if (!locale.empty()) break;
  }
  std::ranges::transform(locale, locale.begin(), [](char character) {
    return 'A' <= character && character <= 'Z' ? static_cast<char>(character | 0x20) : character;
  });
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

}  // namespace

std::string Terminal::bar(double part, std::size_t length) const {
  if (!utf8) return draw_bar(part, length);
  if (part <= 0 || length == 0) return {};
  double const exact = std::min(part, 1.0) * static_cast<double>(length);
  constexpr std::array<std::string_view, 8> eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  auto const count = std::max<std::size_t>(static_cast<std::size_t>(std::lround(exact * 8)), 1);
  std::string text;
  for (std::size_t i = 0; i < count / 8; ++i) text += "█";
  return text.append(eighths[count % 8]);
}

std::string Terminal::paint(std::string_view code, std::string_view text) const {
  return color && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

Terminal find_terminal(ColorWhen color) {
  Terminal terminal;
  terminal.is_terminal = ::isatty(STDOUT_FILENO) != 0;
  auto width = width_of_variable();
  if (!width) width = width_of_window();
  terminal.has_width = width.has_value();
  terminal.width = std::max(width.value_or(Terminal::default_width), Terminal::least_width);
  bool const is_welcome = variable("NO_COLOR").empty() && variable("TERM") != "dumb";
  terminal.color = color == ColorWhen::always || (color == ColorWhen::automatic && terminal.is_terminal && is_welcome);
  terminal.utf8 = is_utf8_locale();
  return terminal;
}

namespace {

constexpr std::array<std::string_view, 9> units{"%", "s", "ms", "µs", "ns", "B", "KiB", "MiB", "GiB"};

}  // namespace

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string wrapped;
  std::size_t used = indent;
  while (!text.empty()) {
    std::size_t end = std::min(text.find(' '), text.size());
    // A number and its unit stay together: 12.3 %, 1.5 s, 4 KiB.
    if (end > 0 && '0' <= text[end - 1] && text[end - 1] <= '9') {
      std::string_view const next = text.substr(std::min(end + 1, text.size()));
      std::size_t const length = std::min(next.find_first_of(" ,;:.)"), next.size());
      if (std::ranges::find(units, next.substr(0, length)) != units.end()) end += 1 + length;
      end = std::min(text.find(' ', end), text.size());
    }
    std::string_view const word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::size_t const room = display_width(word);
    if (used > indent && used + 1 + room > width) {
      wrapped += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (!wrapped.empty()) {
      wrapped += ' ';
      ++used;
    }
    wrapped += word;
    used += room;
  }
  return wrapped;
}

AsciiOutput::int_type AsciiOutput::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  char const byte = traits_type::to_char_type(character);
  if (pending_.empty() && static_cast<unsigned char>(byte) < 0x80) return target_->sputc(byte);
  pending_ += byte;
  if (pending_.size() < length_of(static_cast<unsigned char>(pending_.front()))) return character;
  std::string const text = ascii_of(std::exchange(pending_, {}));
  return put(text) ? character : traits_type::eof();
}

bool AsciiOutput::put(std::string_view text) {
  auto const size = static_cast<std::streamsize>(text.size());
  return target_->sputn(text.data(), size) == size;
}

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)), unfinished_(path_) {
  std::error_code error;
  auto const there = std::filesystem::symlink_status(path_, error).type();
  bool const may_be_replaced =
      there == std::filesystem::file_type::regular || there == std::filesystem::file_type::not_found;
  if (may_be_replaced) unfinished_ += ".new";
  stream_.open(unfinished_, std::ios::binary);
  if (!stream_) fail();
}

OutputFile::~OutputFile() {
  std::error_code error;
  if (stream_.is_open() && unfinished_ != path_) std::filesystem::remove(unfinished_, error);
}

void OutputFile::close() {
  stream_.flush();
  if (!stream_) fail();
  stream_.close();
  std::error_code error;
  if (unfinished_ != path_) std::filesystem::rename(unfinished_, path_, error);
  if (error) throw OutputError(path_.string() + ": " + error.message());
}

void OutputFile::fail() const { throw OutputError(path_.string() + ": " + std::generic_category().message(errno)); }

void check_no_part_of_profile(std::filesystem::path const& file, std::filesystem::path const& profile) {
  std::error_code error;  // /dev/stdout of a pipe has no path
  std::filesystem::path const whole = std::filesystem::weakly_canonical(file, error);
  std::vector<std::filesystem::path> files{profile, profile / commprof::schema::run_file};
  for (commprof::schema::File const& table : commprof::schema::tables) files.push_back(profile / table.name);
  for (std::filesystem::path const& other : files)
    if (whole == std::filesystem::weakly_canonical(other))
      throw OutputError(file.string() + ": this file is part of the profile");
}

}  // namespace mpisee_through
