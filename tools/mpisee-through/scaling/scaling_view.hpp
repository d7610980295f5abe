// Scaling, and the history of commits, as documents.
#pragma once

#include <optional>
#include <string>

#include "scaling/history.hpp"
#include "scaling/scaling.hpp"
#include "table/document.hpp"

namespace mpisee_through {

// The runs of one program, and their results.
struct ScalingShown {
  Runs const& runs;
  Scaling const& scaling;
  std::string region{};              // region measured; empty for whole runs
  std::optional<std::size_t> top{};  // number of families of communicators
};

[[nodiscard]] Document scaling(ScalingShown const& shown);
[[nodiscard]] Document history(History const& all);

}  // namespace mpisee_through
