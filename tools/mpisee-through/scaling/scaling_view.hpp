// Shows scaling to people as text, and to programs as CSV or JSON.
#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "scaling/extrapolation.hpp"
#include "scaling/history.hpp"
#include "scaling/scaling.hpp"
#include "views/views.hpp"

namespace mpisee_through {

// The runs of one program, and their results.
struct ScalingShown {
  Runs const& runs;
  Scaling const& scaling;
  Extrapolation const& extrapolation;
  std::string region{};              // region measured; empty for whole runs
  std::optional<std::size_t> top{};  // number of families of communicators
};

void show(std::ostream& out, ScalingShown const& shown, Format format);
void show(std::ostream& out, History const& history, Format format);

}  // namespace mpisee_through
