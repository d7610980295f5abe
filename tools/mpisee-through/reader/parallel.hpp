#pragma once

#include <cstddef>
#include <functional>

namespace mpisee_through {

// The number of threads that run at the same time: of the processors that this process may use.
[[nodiscard]] std::size_t threads_at_once();

// Calls run(0) to run(count - 1) in as many threads. If some throw, throws what the one with the lowest number has
// thrown, so that the first error of a file is the one that is reported.
void run_in_parallel(std::size_t count, std::function<void(std::size_t)> const& run);

}  // namespace mpisee_through
