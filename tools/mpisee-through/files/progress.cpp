#include "files/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace mpisee_through {

using namespace std::chrono_literals;

Progress::Progress(std::string what, std::uint64_t total_bytes)
    : what_(std::move(what)),
      total_bytes_(total_bytes),
      is_shown_(::isatty(STDERR_FILENO) != 0),
      next_(Clock::now() + 1s) {}

Progress::~Progress() {
  if (width_ == 0) return;
  write("");
  std::fputc('\r', stderr);
}

void Progress::advanced(std::uint64_t bytes) {
  std::lock_guard const lock(mutex_);
  done_bytes_ += bytes;
  if (!is_shown_ || Clock::now() < next_) return;
  next_ = Clock::now() + 200ms;
  auto const done = static_cast<double>(done_bytes_);
  if (total_bytes_ == 0) return write(fmt::format("{}: {:.0f} MB", what_, done / 1e6));
  auto const total = static_cast<double>(total_bytes_);
  write(fmt::format("{}: {:.0f} % of {:.0f} MB", what_, 100 * std::min(done / total, 1.0), total / 1e6));
}

// Overwrites the previous line completely.
void Progress::write(std::string const& line) {
  fmt::print(stderr, "\r{:{}}", line, width_);
  std::fflush(stderr);
  width_ = line.size();
}

}  // namespace mpisee_through
