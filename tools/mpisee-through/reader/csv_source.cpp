#include "reader/csv_source.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <utility>

#include "reader/profile_error.hpp"

namespace mpisee_through {
namespace {

// ASCII SUBSTITUTE: stands for a character that is in error. It is no digit, and shown as \x1a in a name.
constexpr char in_place_of_nul = '\x1a';

// With memchr, since every byte of the file passes here: std::replace was a fifth of the time of reading.
void replace_nul_bytes(char* from, char* end) {
  while (auto* nul = static_cast<char*>(std::memchr(from, '\0', static_cast<std::size_t>(end - from)))) {
    *nul = in_place_of_nul;
    from = nul + 1;
  }
}

}  // namespace

CsvSource::CsvSource(std::filesystem::path file)
    : file_(std::move(file)), descriptor_(::open(file_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw ProfileError(file_, std::nullopt, std::generic_category().message(errno));
  ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
}

CsvSource::~CsvSource() {
  ::close(descriptor_);
}

int CsvSource::read(char* buffer, int size) {
  int filled = 0;
  while (filled < size) {
    ssize_t const count = ::read(descriptor_, buffer + filled, static_cast<std::size_t>(size - filled));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw ProfileError(file_, std::nullopt, std::generic_category().message(errno));
    if (count == 0) {
      if (last_byte_ != '\n') {
        lacked_last_newline_ = true;
        buffer[filled++] = last_byte_ = '\n';
      }
      break;
    }
    char* const end = buffer + filled + count;
    replace_nul_bytes(buffer + filled, end);
    last_byte_ = end[-1];
    filled += static_cast<int>(count);
  }
  return filled;
}

}  // namespace mpisee_through
