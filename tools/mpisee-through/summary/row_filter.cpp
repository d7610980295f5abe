#include "summary/row_filter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/visible_text.hpp"
#include "profile/schema.hpp"

namespace mpisee_through {

std::string literally(std::string_view text) {
  std::string pattern;
  for (char const one : text) {
    if (std::string_view("*?[\\").find(one) != std::string_view::npos) pattern += '\\';
    pattern += one;
  }
  return pattern;
}

bool NameFilter::selects(std::string_view name) {
  return globs_.empty() || selected_.get(name, [&] { return match(visible(name)); });
}

bool NameFilter::match(std::string const& name, std::string const& further_name) {
  bool any = globs_.empty();
  for (std::size_t i = 0; i < globs_.size(); ++i)
    if (matches_(globs_[i], name) || (!further_name.empty() && matches_(globs_[i], further_name)))
      any = matched_[i] = true;
  return any;
}

bool NameFilter::add(std::string_view name, std::string const& user_name) {
  if (globs_.empty()) return true;
  bool& selected = selected_.get(name, [] { return false; });
  return selected |= match(visible(name), user_name);
}

void NameFilter::add(NameFilter const& other) {
  for (std::size_t i = 0; i < matched_.size(); ++i) matched_[i] = matched_[i] || other.matched_[i];
}

bool NameFilter::have_all_matched() const { return std::ranges::find(matched_, false) == matched_.end(); }

void NameFilter::check(std::string_view option, std::string_view kind) const {
  if (have_all_matched()) return;
  std::string const& glob = globs_[static_cast<std::size_t>(std::ranges::find(matched_, false) - matched_.begin())];
  throw SelectionError(visible(fmt::format("{}: no {} of the profile matches \"{}\"", option, kind, glob)));
}

RowFilter::RowFilter(Selection const& selection, SiteNames const* site_names)
    : selection_(selection),
      communicators(selection.communicators, matches_communicator),
      operations(selection.operations, matches_operation),
      regions(selection.regions, matches_region),
      sites(
          site_names == nullptr ? std::vector<std::string>() : selection.sites,
          [site_names](std::string const& glob, std::string const& site) { return site_names->matches(glob, site); }) {}

RowFilter::RowFilter(Profile const& profile, Selection const& selection) : RowFilter(selection, nullptr) {
  if (selection.communicators.empty()) return;
  CommunicatorRows rows(profile);
  while (CommunicatorRow const* row = rows.next()) communicators.add(row->name, visible(row->user_name));
}

bool RowFilter::selects_operation(std::string_view name) {
  return operations.selects(name) && selection_.selects_kind_of(name);
}

// Every filter sees every row, so that a check reports only patterns that match nothing at all.
bool RowFilter::selects(OperationRow const& row) {
  bool const communicator = communicators.selects(row.communicator), operation = selects_operation(row.operation),
             region = regions.selects(row.region), site = sites.selects(row.site);
  return communicator && operation && region && site && selection_.selects(row.rank) && selection_.selects(row.size);
}

bool RowFilter::selects(PeerRow const& row) {
  bool const communicator = communicators.selects(row.communicator), operation = operations.selects(row.operation),
             region = regions.selects(row.region);
  auto const holds = [](std::optional<RankSet> const& ranks, WorldRank rank) {
    return !ranks || (rank != other_world && ranks->contains(rank));
  };
  return communicator && operation && region && selection_.selects(row.traffic_class) && selection_.selects(row.size) &&
         (holds(selection_.ranks, row.from) || holds(selection_.ranks, row.to)) && holds(selection_.from, row.from) &&
         holds(selection_.to, row.to);
}

void RowFilter::add(RowFilter const& other) {
  communicators.add(other.communicators);
  operations.add(other.operations);
  regions.add(other.regions);
  sites.add(other.sites);
}

void RowFilter::check(Profile const& profile, std::string_view kind_of_operation) {
  communicators.check("--comm", "communicator");
  operations.check("--op", kind_of_operation);
  // Regions may be without calls.
  if (!regions.have_all_matched() && profile.holds(commprof::schema::regions)) {
    RegionRows rows(profile);
    while (RegionRow const* row = rows.next()) (void)regions.selects(row->region);
  }
  regions.check("--region", "region");
  sites.check("--site", "call site");
}

}  // namespace mpisee_through
