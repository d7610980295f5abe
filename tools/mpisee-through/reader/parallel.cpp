#include "reader/parallel.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <vector>

namespace mpisee_through {

std::size_t threads_at_once() { return static_cast<std::size_t>(std::max(tbb::this_task_arena::max_concurrency(), 1)); }

void run_in_parallel(std::size_t count, std::function<void(std::size_t)> const& run) {
  if (count == 1) return run(0);
  std::vector<std::exception_ptr> problems(count);
  // Each part is a task of its own: parts are few, and take long.
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, count, 1),
      [&](tbb::blocked_range<std::size_t> const& range) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) {
          try {
            run(i);
          } catch (...) {
            problems[i] = std::current_exception();
          }
        }
      },
      tbb::simple_partitioner());
  for (std::exception_ptr const& problem : problems)
    if (problem) std::rethrow_exception(problem);
}

}  // namespace mpisee_through
