#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "calls/other_calls.hpp"
#include "generator.hpp"

namespace commprof::generator {

namespace {

constexpr std::string_view large_count_suffix = "_c";

bool lists(std::string_view list, std::string_view name) {
  std::vector<std::string> const names = words(list);
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The name in the table: Send for MPI_Send and MPI_Send_c; Bcast_init for MPIX_Bcast_init, of MPIs that had persistent
// collectives before the standard.
std::string_view table_name(std::string_view function, bool with_suffix) {
  if (function.starts_with("MPI_")) function.remove_prefix(4);
  if (function.starts_with("MPIX_") && function.ends_with("_init")) function.remove_prefix(5);
  if (!with_suffix && function.ends_with(large_count_suffix)) function.remove_suffix(large_count_suffix.size());
  return function;
}

}  // namespace

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t const end = std::min(text.find(' ', i), text.size());
    if (end > i) result.emplace_back(text.substr(i, end - i));
    i = end + 1;
  }
  return result;
}

std::vector<Function> join_table(std::vector<Prototype> prototypes) {
  std::vector<Function> functions;
  for (Prototype& prototype : prototypes) {
    Function function;
    function.prototype = std::move(prototype);
    for (bool const with_suffix : {true, false}) {
      std::string_view const name = table_name(function.prototype.name, with_suffix);
      auto const row = std::find_if(std::begin(calls::rows), std::end(calls::rows),
                                    [&](calls::Row const& candidate) { return candidate.name == name; });
      if (row != std::end(calls::rows)) {
        function.coverage = row->kind == calls::Kind::in_callback ? Coverage::needs_none : Coverage::wrapped;
        function.row = &*row;
        function.names = words(row->parameters);
        if (function.names.size() != function.prototype.parameters.size())
          throw std::runtime_error(fmt::format("{}: mpi.h declares {} parameters, the call table names {}",
                                               function.prototype.name, function.prototype.parameters.size(),
                                               function.names.size()));
      } else if (lists(calls::needs_none, name) || lists(calls::needs_none, function.prototype.name)) {
        function.coverage = Coverage::needs_none;
      }
      if (function.coverage != Coverage::unknown) break;
    }
    functions.push_back(std::move(function));
  }
  return functions;
}

}  // namespace commprof::generator
