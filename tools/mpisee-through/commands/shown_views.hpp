// The views of a profile: each option that asks for one, and how its answer is made.
#pragma once

#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "commands/show_options.hpp"

namespace mpisee_through {

// A profile, and what is asked about it.
struct Question {
  Profile const& profile;
  Request const& request;
  Terminal const& terminal;
  // Keeps what the answer is made of. Its destructor takes a tenth of the time of the first page of 100,000 ranks.
  std::shared_ptr<void>& kept;
};

struct ShownView {
  std::string option;  // --operations
  char const* help;
  void (*answer)(std::ostream& out, Question const& question);
};

// All views, in the order of --help.
[[nodiscard]] std::span<ShownView const> shown_views();
// The view with this option; there must be one.
[[nodiscard]] ShownView const* find_view(std::string_view option);

void answer(std::ostream& out, Question const& question);

}  // namespace mpisee_through
