#include "summary/row_filter.hpp"

#include <algorithm>

#include "files/visible_text.hpp"

namespace mpisee_through {

CommunicatorFilter::CommunicatorFilter(Profile const& profile, Selection const& selection)
    : patterns_(selection.communicators) {
  if (patterns_.empty()) return;
  CommunicatorRows rows(profile);
  while (CommunicatorRow const* row = rows.next()) (void)match(row->name, visible(row->user_name));
}

// Several communicators may have one name but different user names. If a pattern matches one of them, all are selected,
// since rows do not distinguish them.
bool CommunicatorFilter::match(std::string_view name, std::string const& user_name) {
  std::string const shown = visible(name);
  bool const selected =
      patterns_.match([&](std::string const& glob) { return matches_communicator(glob, shown, user_name); });
  return selected_[std::string(name)] |= selected;
}

bool CommunicatorFilter::selects(std::string_view name) {
  if (patterns_.empty()) return true;
  auto const known = selected_.find(name);
  return known == selected_.end() ? match(name, "") : known->second;
}

CallFilter::CallFilter(Profile const& profile, Selection const& selection, SiteNames const& names)
    : selection_(selection),
      communicators_(profile, selection),
      operation_patterns_(selection.operations),
      regions_(selection.regions, matches_region),
      sites_(selection.sites,
             [&names](std::string const& glob, std::string const& site) { return names.matches(glob, site); }) {}

bool CallFilter::selects(OperationRow const& row) {
  return selection_.selects(row.rank) && selection_.selects(row.size) && selects_operation(row.operation) &&
         regions_.selects(row.region) && communicators_.selects(row.communicator) && sites_.selects(row.site);
}

bool CallFilter::selects_operation(std::string_view name) {
  auto const known = operation_selected_.find(name);
  if (known != operation_selected_.end()) return known->second;
  std::string const shown = visible(name);
  bool const selected = operation_patterns_.match([&](std::string const& glob) {
    return matches_operation(glob, shown);
  }) && selection_.selects_kind_of(shown);
  return operation_selected_.emplace(name, selected).first->second;
}

MessageFilter::MessageFilter(Profile const& profile, Selection const& selection)
    : selection_(selection),
      communicators_(profile, selection),
      operations_(selection.operations, matches_operation),
      regions_(selection.regions, matches_region) {}

bool MessageFilter::selects(PeerRow const& row) {
  // Every filter sees every row, so that a check reports only patterns that match nothing at all.
  bool const communicator_selected = communicators_.selects(row.communicator);
  bool const operation_selected = operations_.selects(row.operation);
  bool const region_selected = regions_.selects(row.region);
  return communicator_selected && operation_selected && region_selected && is_selected_class(row.traffic_class) &&
         selection_.selects(row.size) && are_selected(row.from, row.to);
}

void MessageFilter::add(MessageFilter const& other) {
  communicators_.add(other.communicators_);
  operations_.add(other.operations_);
  regions_.add(other.regions_);
}

void MessageFilter::check(Profile const& profile) {
  communicators_.patterns().check("--comm", "communicator");
  operations_.patterns().check("--op", "operation behind a message");
  check_regions(profile, regions_);
}

bool MessageFilter::are_selected(WorldRank from, WorldRank to) const {
  auto const holds = [](std::optional<RankSet> const& ranks, WorldRank rank) {
    return !ranks || (rank != other_world && ranks->contains(rank));
  };
  return (holds(selection_.ranks, from) || holds(selection_.ranks, to)) && holds(selection_.from, from) &&
         holds(selection_.to, to);
}

bool MessageFilter::is_selected_class(TrafficClass one) const {
  return selection_.classes.empty() || std::ranges::find(selection_.classes, one) != selection_.classes.end();
}

}  // namespace mpisee_through
