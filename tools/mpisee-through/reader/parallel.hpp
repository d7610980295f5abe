#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace mpisee_through {

// The number of threads that can run at the same time: the processors that this process may use.
[[nodiscard]] std::size_t threads_at_once();

// Calls run(0) to run(count - 1), in as many threads. If several calls throw, rethrows the exception of the lowest
// number: so the first error in a file is reported.
void run_in_parallel(std::size_t count, std::function<void(std::size_t)> const& run);

// Calls run(0) to run(count - 1) if each call is short: a thread executes thousands of calls at a time.
template <class Run>
void run_for_each(std::size_t count, Run const& run) {
  constexpr std::size_t at_once = 4096;
  run_in_parallel((count + at_once - 1) / at_once, [&](std::size_t part) {
    std::size_t const end = std::min(count, (part + 1) * at_once);
    for (std::size_t i = part * at_once; i < end; ++i) run(i);
  });
}

}  // namespace mpisee_through
