#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

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

// Writes what add(text, i) appends for 0 to count, in order. All threads format.
template <class Add>
void write_in_order(std::ostream& out, std::size_t count, Add const& add) {
  constexpr std::size_t of_one_text = 256;
  std::vector<std::string> texts(16 * threads_at_once());
  for (std::size_t begin = 0; begin < count; begin += texts.size() * of_one_text) {
    auto const begin_of = [&](std::size_t text) { return std::min(count, begin + text * of_one_text); };
    std::size_t const used = std::min(texts.size(), (count - begin + of_one_text - 1) / of_one_text);
    run_in_parallel(used, [&](std::size_t i) {
      texts[i].clear();
      for (std::size_t line = begin_of(i); line < begin_of(i + 1); ++line) add(texts[i], line);
    });
    for (std::size_t i = 0; i < used; ++i) out << texts[i];
  }
}

}  // namespace mpisee_through
