// Measures how well a program uses more ranks, from runs on different numbers of ranks, in the terms of the POP
// methodology.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "comparison/runs.hpp"
#include "table/document.hpp"

namespace mpisee_through {

struct ScalingWanted {
  std::string region{};              // that was measured; empty for whole runs
  std::optional<std::size_t> top{};  // number of communicators
};

// A line for each number of ranks, and for each communicator on it; for people these are columns. Leaves out runs that
// lack ranks or took no time; throws SelectionError if the others do not have several numbers of ranks.
[[nodiscard]] Document scaling(Runs const& runs, ScalingWanted const& wanted);

}  // namespace mpisee_through
