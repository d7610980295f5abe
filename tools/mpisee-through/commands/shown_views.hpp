// The views of a profile: each option that asks for one, and how its answer is made.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/show_options.hpp"

namespace mpisee_through {

// A profile, and what is asked about it.
struct Question {
  Profile const& profile;
  Request const& request;
  Terminal const& terminal;
};

struct ShownView {
  std::string option;  // --operations; empty for the first page
  char const* help;
  std::vector<std::string_view> accepts;  // options, beside those of the output
  std::vector<std::string_view> by;       // words of --by
  Document (*answer)(Question const& question);
};

// All views, in the order of --help; the first page comes first.
[[nodiscard]] std::span<ShownView const> shown_views();
}  // namespace mpisee_through
