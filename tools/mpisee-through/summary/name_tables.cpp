#include "summary/name_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/visible_text.hpp"

namespace mpisee_through {

NameTables::NameTables(Profile const& profile, Selection const& selection, NameFilter& filter, Summary& summary)
    : selection_(selection), summary_(summary) {
  constexpr std::uint64_t most_expected = 1'000'000;  // limits what is reserved before the file is read
  CommunicatorRows rows(profile);
  auto const count = std::min(profile.expected_rows(commprof::schema::communicators.name).value_or(0), most_expected);
  summary.communicators.reserve(count);
  communicator_by_name_.reserve(count);
  while (CommunicatorRow const* row = rows.next()) {
    bool const is_selected = filter.add(row->name, visible(row->user_name));
    auto const known = communicator_by_name_.find(visible(row->name));
    if (known == communicator_by_name_.end()) {
      add_communicator(*row, is_selected);
      continue;
    }
    CommunicatorSummary& one = summary.communicators[static_cast<std::size_t>(known->second)];
    one.selected |= is_selected;
    add_instance(one, *row, rows);
  }
  for (auto const& [name, members] : members_of_all_)
    summary.communicators[static_cast<std::size_t>(communicator_by_name_.at(name))].members = members.to_string();
}

void NameTables::add_communicator(CommunicatorRow const& row, bool is_selected) {
  CommunicatorSummary added;
  added.name = visible(row.name);
  added.parent = visible(row.parent);
  added.created_by = visible(row.created_by);
  added.created_at = row.created_at;
  added.size = row.size;
  added.members = row.members;
  added.topology = visible(row.topology);
  added.reorder = visible(row.reorder);
  added.user_name = visible(row.user_name);
  added.selected = is_selected;
  added.freed = row.freed;
  added.ranks = added.name == self_name ? summary_.selected_ranks : count_selected(row.member_ranks);
  communicator_by_name_.emplace(added.name, static_cast<CommunicatorIndex>(summary_.communicators.size()));
  summary_.communicators.push_back(std::move(added));
}

// Joins communicators that have one name, such as each rank's duplicate of MPI_COMM_SELF.
void NameTables::add_instance(CommunicatorSummary& known, CommunicatorRow const& row, CommunicatorRows& rows) {
  ++known.instances;
  if (known.members.empty() && row.members.empty()) return;

  auto const [members, is_new] = members_of_all_.try_emplace(known.name);
  if (is_new) members->second = RankSet::parse_ascending(known.members).value_or(RankSet());
  RankSet const& others = row.member_ranks;
  bool const are_apart = !members->second.empty() && !others.empty() && members->second.highest() < others.lowest();
  if (!are_apart) rows.fail(fmt::format("communicator {} occurs again, but not with higher ranks", known.name));
  members->second.append(others);
  known.ranks += count_selected(others);
}

std::uint64_t NameTables::count_selected(RankSet const& members) const {
  if (selection_.ranks) return members.count_in(*selection_.ranks);
  return members.size() - (summary_.run.lacks_ranks() ? members.count_in(summary_.run.unfinished->missing) : 0);
}

CommunicatorIndex NameTables::communicator(std::string_view text, std::uint64_t size, CommunicatorIndex guess) {
  std::lock_guard const lock(mutex_);
  auto& all = summary_.communicators;
  auto const place = static_cast<std::size_t>(guess);
  if (place < all.size() && all[place].name == text) return guess;
  auto known = communicator_by_name_.find(text);
  if (known == communicator_by_name_.end()) known = communicator_by_name_.find(visible(text));
  if (known != communicator_by_name_.end()) return known->second;
  // communicators.csv lacks a communicator if the process that describes it ran out of memory. The calls of other ranks
  // on it are shown nevertheless.
  CommunicatorSummary added;
  added.name = visible(text);
  added.size = size;
  added.instances = 0;
  auto const index = static_cast<CommunicatorIndex>(all.size());
  communicator_by_name_.emplace(added.name, index);
  all.push_back(std::move(added));
  return index;
}

OperationIndex NameTables::operation(std::string_view text) {
  std::lock_guard const lock(mutex_);
  auto const known = operation_by_name_.find(text);
  if (known != operation_by_name_.end()) return known->second;
  auto const index = static_cast<OperationIndex>(summary_.operation_names.size());
  operation_by_name_.emplace(text, index);
  summary_.operation_names.emplace_back(visible(text));
  return index;
}

CallSiteIndex NameTables::site(std::string_view text) {
  std::lock_guard const lock(mutex_);
  auto const known = site_by_name_.find(text);
  if (known != site_by_name_.end()) return known->second;
  auto const index = static_cast<CallSiteIndex>(summary_.call_sites.size());
  site_by_name_.emplace(text, index);
  summary_.call_sites.emplace_back(text);
  return index;
}

}  // namespace mpisee_through
