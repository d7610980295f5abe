#pragma once

#include <string>

#include "reader/profile_reader.hpp"
#include "report/page.hpp"
#include "summary/selection.hpp"

namespace mpisee_through {

// The page of a profile, or of a selection of it: a section for each view. It refers to the profile. Throws
// ProfileError and SelectionError.
[[nodiscard]] Page page_of(Profile const& profile, Selection const& selection);
// Writes it. Throws OutputError, too.
void write_report(std::string const& path, Profile const& profile, Selection const& selection);

}  // namespace mpisee_through
