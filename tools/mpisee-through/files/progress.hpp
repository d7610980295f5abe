#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace mpisee_through {

// Shows the progress of a long read on stderr if that is a terminal: a line that appears after a second, is updated in
// place, and disappears at the end.
class Progress {
 public:
  // what: for example "Reading operations.csv". total_bytes: 0 if unknown.
  Progress(std::string what, std::uint64_t total_bytes);
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  // Takes the bytes since the last call by any thread; once a block of the file is often enough.
  void advanced(std::uint64_t bytes);

 private:
  using Clock = std::chrono::steady_clock;

  void write(std::string const& line);

  std::mutex mutex_;
  std::string what_;
  std::uint64_t done_bytes_ = 0;
  std::uint64_t total_bytes_;
  bool is_shown_;
  Clock::time_point next_;
  std::size_t width_ = 0;  // of the line on the terminal
};

}  // namespace mpisee_through
