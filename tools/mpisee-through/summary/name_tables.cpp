#include "summary/name_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/visible_text.hpp"

namespace mpisee_through {
namespace {

constexpr std::uint64_t most_expected = 1'000'000;  // limits what is reserved before the file is read

}  // namespace

NameTables::NameTables(Profile const& profile, Selection const& selection, Summary& summary)
    : profile_(profile), selection_(selection), summary_(summary), filter_(selection, summary.site_names.get()) {
  add_communicators();
}

void NameTables::add_communicators() {
  CommunicatorRows rows(profile_);
  auto const count = std::min(profile_.expected_rows(commprof::schema::communicators.name).value_or(0), most_expected);
  summary_.communicators.reserve(count);
  communicator_by_name_.reserve(count);
  while (CommunicatorRow const* row = rows.next()) {
    std::string const name = visible(row->name), user_name = visible(row->user_name);
    bool const selected = filter_.communicators.add(row->name, user_name);
    auto const known = communicator_by_name_.find(name);
    if (known != communicator_by_name_.end()) {
      add_instance(known->second, *row, rows);
      summary_.communicators[static_cast<std::size_t>(known->second)].selected |= selected;
      continue;
    }
    CommunicatorSummary added;
    added.name = name;
    added.parent = visible(row->parent);
    added.created_by = visible(row->created_by);
    added.created_at = row->created_at;
    added.size = row->size;
    added.members = row->members;
    added.topology = visible(row->topology);
    added.reorder = visible(row->reorder);
    added.user_name = user_name;
    added.selected = selected;
    added.freed = row->freed;
    added.ranks = name == self_name ? summary_.selected_ranks : count_selected(row->member_ranks);
    add_communicator(std::move(added));
  }
  for (auto const& [index, members] : members_of_all_)
    summary_.communicators[static_cast<std::size_t>(index)].members = members.to_string();
}

CommunicatorIndex NameTables::add_communicator(CommunicatorSummary&& added) {
  auto const index = static_cast<CommunicatorIndex>(summary_.communicators.size());
  communicator_by_name_.emplace(added.name, index);
  summary_.communicators.push_back(std::move(added));
  return index;
}

// Joins communicators that have one name, such as each rank's duplicate of MPI_COMM_SELF.
void NameTables::add_instance(CommunicatorIndex index, CommunicatorRow const& row, CommunicatorRows& rows) {
  CommunicatorSummary& known = summary_.communicators[static_cast<std::size_t>(index)];
  ++known.instances;
  if (known.members.empty() && row.members.empty()) return;

  auto const [members, is_new] = members_of_all_.try_emplace(index);
  if (is_new) members->second = RankSet::parse_ascending(known.members).value_or(RankSet());
  RankSet const& others = row.member_ranks;
  bool const are_apart = !members->second.empty() && !others.empty() && members->second.highest() < others.lowest();
  if (!are_apart) {
    rows.fail(fmt::format("communicator {} occurs again, but not with higher ranks", known.name));
  }
  members->second.append(others);
  known.ranks += count_selected(others);
}

std::uint64_t NameTables::count_selected(RankSet const& members) const {
  if (selection_.ranks) return members.count_in(*selection_.ranks);
  return members.size() - (summary_.run.lacks_ranks() ? members.count_in(summary_.run.unfinished->missing) : 0);
}

NameTables::Communicator NameTables::communicator(std::string_view text, std::uint64_t size, CommunicatorIndex guess) {
  std::lock_guard const lock(mutex_);
  auto const place = static_cast<std::size_t>(guess);
  bool const is_guessed = place < summary_.communicators.size() && summary_.communicators[place].name == text;
  CommunicatorIndex const index = is_guessed ? guess : find_communicator(text, size);
  return {index, summary_.communicator(index).selected};
}

CommunicatorIndex NameTables::find_communicator(std::string_view text, std::uint64_t size) {
  auto known = communicator_by_name_.find(text);
  if (known == communicator_by_name_.end()) known = communicator_by_name_.find(visible(text));
  if (known != communicator_by_name_.end()) return known->second;
  // communicators.csv lacks a communicator if the process that describes it ran out of memory. The calls of other ranks
  // on it are shown nevertheless.
  CommunicatorSummary added;
  added.name = visible(text);
  added.size = size;
  added.instances = 0;
  added.selected = filter_.communicators.selects(text);
  return add_communicator(std::move(added));
}

NameTables::Operation NameTables::operation(std::string_view text) {
  std::lock_guard const lock(mutex_);
  auto const known = operation_by_name_.find(text);
  if (known != operation_by_name_.end()) return known->second;
  summary_.operation_names.emplace_back(visible(text));
  Operation const added{static_cast<OperationIndex>(summary_.operation_names.size() - 1),
                        filter_.operations.selects(text)};
  operation_by_name_.emplace(text, added);
  return added;
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

bool NameTables::selects_region(std::string_view text) {
  std::lock_guard const lock(mutex_);
  return filter_.regions.selects(text);
}

bool NameTables::selects_site(std::string_view text) {
  std::lock_guard const lock(mutex_);
  return filter_.sites.selects(text);
}

void NameTables::check() { filter_.check(profile_, "operation"); }

}  // namespace mpisee_through
