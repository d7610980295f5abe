#include "options/defaults_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

namespace commprof {

namespace {

constexpr std::size_t most_bytes = std::size_t{16} * 1024;
char file_text[most_bytes + 1];

std::string_view trimmed(std::string_view part) {
  constexpr std::string_view blanks = " \t\r";
  std::size_t const first = part.find_first_not_of(blanks);
  return first == part.npos ? std::string_view{} : part.substr(first, part.find_last_not_of(blanks) - first + 1);
}

// The value without the quotes around it, or without a comment (a # after a blank).
std::string_view unquoted(std::string_view value) {
  char const quote = value.empty() ? '\0' : value.front();
  if (quote == '"' || quote == '\'') {
    std::size_t const end = value.find(quote, 1);
    std::string_view const behind = end == value.npos ? value : trimmed(value.substr(end + 1));
    if (behind.empty() || behind.front() == '#') return value.substr(1, end - 1);
  }
  for (std::size_t i = 0; i < value.size(); ++i)
    if (value[i] == '#' && (i == 0 || value[i - 1] == ' ' || value[i - 1] == '\t')) return trimmed(value.substr(0, i));
  return value;
}

// Reads the file into `file_text` and sets its length.
int read_file(char const* path, std::size_t& length) {
  int const file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0) return errno;
  int error = 0;
  for (;;) {
    ssize_t const n = read(file, file_text + length, sizeof file_text - length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) error = errno;
    if (n <= 0) break;
    length += static_cast<std::size_t>(n);
  }
  close(file);
  if (length <= most_bytes) return error;
  length = most_bytes;
  return EFBIG;
}

}  // namespace

int read_defaults(char const* path, void (*take)(void* context, std::string_view name, std::string_view value),
                  void* context) {
  std::size_t length = 0;
  int const error = read_file(path, length);
  std::string_view rest(file_text, length);
  if (error == EFBIG)
    rest = rest.substr(0, rest.rfind('\n') + 1);  // removes the last line, which may have been cut off
  while (!rest.empty()) {
    std::size_t const end = rest.find('\n');
    std::string_view const line = trimmed(rest.substr(0, end));
    rest = end == rest.npos ? std::string_view{} : rest.substr(end + 1);
    if (line.empty() || line.front() == '#') continue;
    std::size_t const equals = line.find('=');
    bool const has_value = equals != line.npos;
    take(context, trimmed(line.substr(0, equals)),
         has_value ? unquoted(trimmed(line.substr(equals + 1))) : std::string_view{});
  }
  return error;
}

}  // namespace commprof
