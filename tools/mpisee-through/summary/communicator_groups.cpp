#include "summary/communicator_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "summary/file_sums.hpp"

namespace mpisee_through {

std::string name_of_group(std::vector<std::string_view> const& names) {
  std::string_view start = names.front(), end = names.front();
  for (std::string_view const name : names)
    start = start.substr(0, std::ranges::mismatch(start, name).in1 - start.begin());
  start = start.substr(0, start.find('*'));
  for (std::string_view const name : names) {
    std::string_view const rest = name.substr(start.size());
    auto const common = std::mismatch(end.rbegin(), end.rend(), rest.rbegin(), rest.rend()).first - end.rbegin();
    end.remove_prefix(end.size() - static_cast<std::size_t>(common));
  }
  return literally(start) + "*" + literally(end.substr(end.rfind('*') + 1));
}

namespace {

// Whether a part of a name is the tag of the creating call. Other parts are ranks, "0-6:2", or the hash of a group; a
// tag of few letters looks like a hash.
bool is_tag(std::string_view part) {
  auto const is_decimal = [](char one) { return one >= '0' && one <= '9'; };
  bool const is_number = part.size() > 1 && part.front() == 't' && std::ranges::all_of(part.substr(1), is_decimal);
  return is_number || part.find_first_not_of("0123456789abcdef-:") != part.npos;
}

using Kin = std::tuple<std::string, std::string_view, std::string_view>;  // family, creating call, its site

class Joiner {
 public:
  Joiner(Summary const& summary, Waits const& waits) : summary_(summary), waits_(waits) {}

  std::optional<JoinedFamilies> run() {
    for (std::size_t i = 0; i < summary_.communicators.size(); ++i) {
      CommunicatorSummary const& one = summary_.communicators[i];
      if (one.is_called)
        families_[{family_of(one.name), one.created_by, one.created_at}].push_back(static_cast<CommunicatorIndex>(i));
    }
    if (std::ranges::all_of(families_, [](auto const& family) { return family.second.size() < 2; }))
      return std::nullopt;
    static_cast<Overview&>(joined_.summary) = summary_;
    joined_.summary.operations_s = summary_.operations_s;
    joined_.summary.operation_names = summary_.operation_names;
    joined_.summary.call_sites = summary_.call_sites;
    joined_.summary.site_names = summary_.site_names;
    joined_.summary.ranks = summary_.ranks;
    for (auto const& [kin, members] : families_) add(members);
    join_cells();
    join_waits();
    return std::move(joined_);
  }

 private:
  void add(std::vector<CommunicatorIndex> const& members) {
    auto const index = static_cast<CommunicatorIndex>(joined_.summary.communicators.size());
    for (CommunicatorIndex const member : members) joined_in_[member] = index;
    CommunicatorSummary& sum = joined_.summary.communicators.emplace_back(summary_.communicator(members.front()));
    if (members.size() == 1) return;
    std::vector<std::string_view> names{summary_.communicator(members.front()).name};
    for (CommunicatorIndex const member : std::span(members).subspan(1)) {
      CommunicatorSummary const& one = summary_.communicator(member);
      names.push_back(one.name);
      sum.size += one.size;
      sum.instances += one.instances;
      sum.ranks += one.ranks;
      sum.totals += one.totals;
      sum.spread.append(one.spread);
      sum.freed &= one.freed;
    }
    std::string const name = name_of_group(names);
    sum.name = fmt::format("{} communicators {}", members.size(), name);
    sum.members.clear();
    sum.patterns = {name};
  }

  void join_cells() {
    for (auto const& [keys, cells] : summary_.lists) {
      if ((keys & by_comm) == 0) {
        joined_.summary.lists[keys] = cells;
        continue;
      }
      bool const has_spread = !cells.empty() && cells.front().spread.ranks > 0;
      CellSums sums({keys, has_spread ? CellList::With::spread : CellList::With::totals}, CellSums::Ranks::ascending);
      for (Cell cell : cells) {
        cell.communicator = joined_in_.at(cell.communicator);
        sums.add_sum(cell);
      }
      joined_.summary.lists[keys] = sums.take();
    }
  }

  void join_waits() {
    std::map<decltype(OperationWaiting().order()), std::vector<OperationWaiting>> parts;
    for (OperationWaiting one : waits_.operations) {
      one.communicator = joined_in_.at(one.communicator);
      parts[one.order()].push_back(std::move(one));
    }
    for (auto const& [order, of_family] : parts) {
      OperationWaiting& sum = joined_.waits.operations.emplace_back(*over_call_sites(of_family, std::get<3>(order)));
      sum.site_share.reset();
    }
  }

  Summary const& summary_;
  Waits const& waits_;
  std::map<Kin, std::vector<CommunicatorIndex>> families_;  // with calls
  std::unordered_map<CommunicatorIndex, CommunicatorIndex> joined_in_;
  JoinedFamilies joined_;
};

}  // namespace

std::string family_of(std::string_view communicator) {
  std::string family;
  while (!communicator.empty()) {
    std::string_view const step = communicator.substr(0, communicator.find('_', 1));
    communicator.remove_prefix(step.size());
    std::size_t const dot = step.find('.');
    family += step.substr(0, dot);
    if (dot == step.npos) continue;
    std::string_view ranks = step.substr(dot + 1);
    while (ranks.rfind('.') != ranks.npos && is_tag(ranks.substr(ranks.rfind('.') + 1)))
      ranks = ranks.substr(0, ranks.rfind('.'));
    family.append(".*").append(step.substr(dot + 1 + ranks.size()));
  }
  return family;
}

std::optional<JoinedFamilies> join_families(Summary const& summary, Waits const& waits) {
  return Joiner(summary, waits).run();
}

}  // namespace mpisee_through
