// Reads a large table of a profile with all threads.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "reader/parallel.hpp"
#include "reader/profile_reader.hpp"

namespace mpisee_through {

// Calls read(rows) for each part of the table, in several threads at the same time. Returns the results in the order of
// the file. If several parts have errors, throws the first one in the file.
template <class Rows, class Read>
auto read_in_parts(Profile const& profile, Read const& read) {
  using Result = std::invoke_result_t<Read const&, Rows&>;
  std::vector<Rows> parts = Rows::parts(profile);
  std::vector<std::optional<Result>> results(parts.size());
  run_in_parallel(parts.size(), [&](std::size_t i) { results[i].emplace(read(parts[i])); });
  std::uint64_t rows = 0;
  for (Rows const& part : parts) rows += part.rows_read();
  Rows::check_row_count(profile, rows);
  std::vector<Result> in_order;
  in_order.reserve(results.size());
  for (auto& one : results) in_order.push_back(std::move(*one));
  return in_order;
}

}  // namespace mpisee_through
