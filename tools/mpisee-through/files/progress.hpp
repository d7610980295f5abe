#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

namespace mpisee_through {

// Shows the progress of a long read on stderr if that is a terminal: a line that appears after a second, is updated in
// place, and disappears at the end.
class Progress {
 public:
  // what: for example "Reading operations.csv". total_bytes: 0 if unknown.
  Progress(std::string what, std::uint64_t total_bytes) : what_(std::move(what)), total_bytes_(total_bytes) {}
  ~Progress() {
    if (width_ == 0) return;
    write("");
    std::fputc('\r', stderr);
  }
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  // Takes the bytes since the last call by any thread; once a block of the file is often enough.
  void advanced(std::uint64_t bytes) {
    std::lock_guard const lock(mutex_);
    done_bytes_ += bytes;
    if (!is_shown_ || Clock::now() < next_) return;
    next_ = Clock::now() + std::chrono::milliseconds(200);
    auto const done = static_cast<double>(done_bytes_), total = static_cast<double>(total_bytes_);
    if (total_bytes_ == 0) return write(fmt::format("{}: {:.0f} MB", what_, done / 1e6));
    write(fmt::format("{}: {:.0f} % of {:.0f} MB", what_, 100 * std::min(done / total, 1.0), total / 1e6));
  }

 private:
  using Clock = std::chrono::steady_clock;

  // Overwrites the previous line completely.
  void write(std::string const& line) {
    fmt::print(stderr, "\r{:{}}", line, width_);
    std::fflush(stderr);
    width_ = line.size();
  }

  std::mutex mutex_;
  std::string what_;
  std::uint64_t done_bytes_ = 0, total_bytes_;
  bool is_shown_ = ::isatty(STDERR_FILENO) != 0;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
  std::size_t width_ = 0;  // of the line on the terminal
};

}  // namespace mpisee_through
