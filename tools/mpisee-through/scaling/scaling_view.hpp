// Scaling as its reader wants to see it: for people as text, for programs as CSV or JSON.
#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "scaling/extrapolation.hpp"
#include "scaling/history.hpp"
#include "scaling/scaling.hpp"
#include "views/views.hpp"

namespace mpisee_through {

// What is shown: runs of one program, and what they tell.
struct ScalingShown {
  Runs const& runs;
  Scaling const& scaling;
  Extrapolation const& extrapolation;
  std::string region{};              // of which all times are; empty for whole runs
  std::optional<std::size_t> top{};  // only so many families of communicators
};

void show(std::ostream& out, ScalingShown const& shown, Format format);
void show(std::ostream& out, History const& history, Format format);

}  // namespace mpisee_through
