// The plain command, mpisee-through [OPTIONS] PROFILE …, and the views of a profile: the option that asks for one, and
// how its answer is made.
#pragma once

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/commands.hpp"
#include "reader/profile_reader.hpp"
#include "report/page.hpp"
#include "summary/arrangement.hpp"
#include "summary/summary.hpp"
#include "text/terminal.hpp"
#include "views/views.hpp"

namespace mpisee_through {

struct ShownView;

struct Request {
  std::vector<std::filesystem::path> profiles;
  Selection selection;
  Arrangement arrangement;
  ShownView const* view = nullptr;
  std::vector<std::string> by{};  // words of --by that the view has
  FormatOptions form{};
  Terminal terminal{};
  RegionTimes region_times = RegionTimes::inclusive;
  Measure measure = Measure::bytes;  // only with --matrix
  std::string treematch{};           // a file to write; only with --matrix, empty for none
  RunPart part{};                    // only with --when

  [[nodiscard]] Format format() const { return form.format(); }
  [[nodiscard]] bool is_by(std::string_view word) const { return std::ranges::count(by, word) > 0; }
};

struct ShownView {
  std::string option;  // --operations; empty for the first page
  char const* help;
  std::string accepts;               // options, beside those of the output, with blanks between them
  std::vector<std::string_view> by;  // words of --by; the matrix takes several
  Document (*answer)(Profile const& profile, Request const& request);

  [[nodiscard]] std::string name() const { return option.empty() ? "the first page" : option; }
  [[nodiscard]] bool takes(std::string_view option) const;
};

// All views, in the order of --help; the first page comes first.
[[nodiscard]] std::span<ShownView const> shown_views();

// The page of a profile, or of a selection of it: a section for each view. It refers to the profile. Throws
// ProfileError and SelectionError.
[[nodiscard]] Page page_of(Profile const& profile, Selection const& selection);
// Writes it. Throws OutputError, too.
void write_report(std::string const& path, Profile const& profile, Selection const& selection);

}  // namespace mpisee_through
