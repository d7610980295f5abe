// The views of a profile: each option that asks for one, and how its answer is made.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "commands/show_options.hpp"

namespace mpisee_through {

struct ShownView {
  std::string option;  // --operations
  char const* help;
  void (*answer)(std::ostream& out, Profile const& profile, Request const& request, Terminal const& terminal);
};

// All views, in the order of --help.
[[nodiscard]] std::span<ShownView const> shown_views();
// The view with this option; there must be one.
[[nodiscard]] ShownView const* find_view(std::string_view option);

// Writes the answer to a request, for one profile.
void answer(std::ostream& out, Profile const& profile, Request const& request, Terminal const& terminal);

}  // namespace mpisee_through
