#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace mpisee_through {

// How far a long read has got, on stderr if that is a terminal: a line that appears after a second, is written over as
// it goes on, and is gone at the end.
class Progress {
 public:
  // What is done, "Reading operations.csv", to how many bytes; 0 if that is not known.
  Progress(std::string what, std::uint64_t total_bytes);
  ~Progress();
  Progress(Progress const&) = delete;
  Progress& operator=(Progress const&) = delete;

  // Called now and then, by any thread: a block of file each time is often enough. Either with all bytes until now, or
  // with those since the last call of any thread.
  void reached(std::uint64_t bytes);
  void advanced(std::uint64_t bytes);

 private:
  using Clock = std::chrono::steady_clock;

  void show();
  void write(std::string const& line);

  std::mutex mutex_;
  std::string what_;
  std::uint64_t done_bytes_ = 0;
  std::uint64_t total_bytes_;
  bool is_shown_;
  Clock::time_point next_;
  std::size_t width_ = 0;  // of the line that stands there
};

}  // namespace mpisee_through
