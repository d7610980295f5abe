#include "summary/name_filter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/visible_text.hpp"
#include "profile/schema.hpp"

namespace mpisee_through {

bool Patterns::have_all_matched() const { return std::ranges::find(matched_, false) == matched_.end(); }

void Patterns::check(std::string_view option, std::string_view kind) const {
  if (have_all_matched()) return;
  std::string const& glob = globs_[static_cast<std::size_t>(std::ranges::find(matched_, false) - matched_.begin())];
  throw SelectionError(visible(fmt::format("{}: no {} of the profile matches \"{}\"", option, kind, glob)));
}

std::string literally(std::string_view text) {
  std::string pattern;
  for (char const one : text) {
    if (std::string_view("*?[\\").find(one) != std::string_view::npos) pattern += '\\';
    pattern += one;
  }
  return pattern;
}

bool NameFilter::selects(std::string_view name) {
  if (patterns_.empty() && !condition_) return true;
  return selected_.get(name, [&] {
    std::string const shown = visible(name);
    bool const matches = patterns_.match([&](std::string const& glob) { return matches_(glob, shown); });
    return matches && (!condition_ || condition_(shown));
  });
}

void check_regions(Profile const& profile, NameFilter& filter) {
  if (!filter.patterns().have_all_matched() && profile.holds(commprof::schema::regions)) {
    RegionRows rows(profile);
    while (RegionRow const* row = rows.next()) (void)filter.selects(row->region);
  }
  filter.patterns().check("--region", "region");
}

}  // namespace mpisee_through
