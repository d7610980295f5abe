#include "summary/census.hpp"

#include <map>
#include <utility>

namespace mpisee_through {

std::vector<CensusLine> take_census(Summary const& summary) {
  std::map<std::pair<std::uint64_t, std::string>, CensusLine> lines;
  for (CommunicatorSummary const& one : summary.communicators) {
    if (!one.selected) continue;
    auto const added = lines.try_emplace({one.size, one.created_by}, CensusLine{one.size, one.created_by}).first;
    added->second.communicators += one.instances;
    if (one.freed) added->second.freed += one.instances;
    added->second.time_s += one.totals.time_s;
  }
  std::vector<CensusLine> census;
  for (auto& [key, line] : lines) census.push_back(std::move(line));
  return census;
}

}  // namespace mpisee_through
