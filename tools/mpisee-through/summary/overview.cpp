#include "summary/overview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "files/visible_text.hpp"
#include "summary/text_map.hpp"

namespace mpisee_through {

namespace {

ProcessorsIndex index_of(std::string_view cpus, TextMap<ProcessorsIndex>& known, std::vector<RankSet>& sets) {
  auto const found = known.find(cpus);
  if (found != known.end()) return found->second;
  auto const index = static_cast<ProcessorsIndex>(sets.size());
  sets.push_back(RankSet::parse(cpus).value_or(RankSet()));
  known.emplace(cpus, index);
  return index;
}

}  // namespace

Overview read_overview(Profile const& profile, Selection const& selection) {
  Overview overview;
  overview.profile = visible(profile.directory().string());
  overview.run = profile.run();
  check_ranks("--rank", selection.ranks, overview.run);

  TextMap<HostIndex> hosts;
  std::unordered_set<HostIndex> hosts_selected;
  HostIndex const unknown_host{overview.run.ranks};
  overview.host_of_rank.resize(overview.run.ranks, unknown_host);
  overview.times_of_rank.resize(overview.run.ranks);
  TextMap<ProcessorsIndex> processors;
  overview.processors.emplace_back();
  overview.processors_of_rank.resize(overview.run.ranks, ProcessorsIndex{0});
  RankRows rows(profile);
  while (RankRow const* row = rows.next()) {
    auto known = hosts.find(row->host);
    if (known == hosts.end()) known = hosts.emplace(row->host, static_cast<HostIndex>(hosts.size())).first;
    if (hosts.size() > overview.host_names.size()) overview.host_names.push_back(visible(row->host));
    auto const rank = static_cast<std::size_t>(row->rank);
    overview.times_of_rank[rank] = {row->wall_s, row->mpi_s, row->cpu_s, row->queued_s};
    overview.host_of_rank[rank] = known->second;
    overview.processors_of_rank[rank] = index_of(row->cpus, processors, overview.processors);
    if (!selection.selects(row->rank)) continue;
    ++overview.selected_ranks;
    hosts_selected.insert(known->second);
    overview.wall_s += row->wall_s;
    overview.mpi_s += row->mpi_s;
    overview.efficiency.add_rank(row->wall_s, row->mpi_s);
  }
  overview.hosts = hosts_selected.size();
  // Ranks that are missing in the profile have an unknown host.
  std::ranges::replace(overview.host_of_rank, unknown_host, static_cast<HostIndex>(overview.host_names.size()));
  if (overview.run.lacks_ranks()) overview.host_names.emplace_back("(unknown)");
  return overview;
}

void check_ranks(std::string_view option, std::optional<RankSet> const& ranks, Run const& run) {
  if (!ranks || ranks->empty()) return;
  auto const highest = static_cast<std::uint32_t>(ranks->highest());
  if (highest >= run.ranks) {
    throw SelectionError(fmt::format("{}: no rank {}, the run had ranks 0 to {}", option, highest, run.ranks - 1));
  }
}

}  // namespace mpisee_through
