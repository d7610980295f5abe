#include "summary/row_filter.hpp"

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

bool CommunicatorFilter::add(std::string_view name, std::string const& user_name) {
  if (patterns_.empty()) return true;
  std::string const shown = visible(name);
  bool const selected =
      patterns_.match([&](std::string const& glob) { return matches_communicator(glob, shown, user_name); });
  return selected_[std::string(name)] |= selected;
}

bool CommunicatorFilter::selects(std::string_view name) {
  if (patterns_.empty()) return true;
  auto const known = selected_.find(name);
  return known == selected_.end() ? add(name, "") : known->second;
}

RowFilter::RowFilter(Selection const& selection, SiteNames const* site_names)
    : selection_(selection),
      communicators(selection),
      operations(
          selection.operations, matches_operation,
          site_names == nullptr || selection.kinds.empty()
              ? NameFilter::Condition()
              : [&selection](std::string const& name) { return selection.selects_kind_of(name); }),
      regions(selection.regions, matches_region),
      sites(
          site_names == nullptr ? std::vector<std::string>() : selection.sites,
          [site_names](std::string const& glob, std::string const& site) { return site_names->matches(glob, site); }) {}

RowFilter::RowFilter(Profile const& profile, Selection const& selection, SiteNames const* site_names)
    : RowFilter(selection, site_names) {
  if (selection.communicators.empty()) return;
  CommunicatorRows rows(profile);
  while (CommunicatorRow const* row = rows.next()) (void)communicators.add(row->name, visible(row->user_name));
}

bool RowFilter::selects(OperationRow const& row) {
  return selection_.selects(row.rank) && selection_.selects(row.size) && operations.selects(row.operation) &&
         regions.selects(row.region) && communicators.selects(row.communicator) && sites.selects(row.site);
}

bool RowFilter::selects(PeerRow const& row) {
  // Every filter sees every row, so that a check reports only patterns that match nothing at all.
  bool const communicator_selected = communicators.selects(row.communicator);
  bool const operation_selected = operations.selects(row.operation);
  bool const region_selected = regions.selects(row.region);
  return communicator_selected && operation_selected && region_selected && selection_.selects(row.traffic_class) &&
         selection_.selects(row.size) && are_selected(row.from, row.to);
}

void RowFilter::add(RowFilter const& other) {
  communicators.add(other.communicators);
  operations.add(other.operations);
  regions.add(other.regions);
  sites.add(other.sites);
}

void RowFilter::check(Profile const& profile, std::string_view kind_of_operation) {
  communicators.patterns().check("--comm", "communicator");
  operations.patterns().check("--op", kind_of_operation);
  check_regions(profile, regions);
  sites.patterns().check("--site", "call site");
}

bool RowFilter::are_selected(WorldRank from, WorldRank to) const {
  auto const holds = [](std::optional<RankSet> const& ranks, WorldRank rank) {
    return !ranks || (rank != other_world && ranks->contains(rank));
  };
  return (holds(selection_.ranks, from) || holds(selection_.ranks, to)) && holds(selection_.from, from) &&
         holds(selection_.to, to);
}

}  // namespace mpisee_through
