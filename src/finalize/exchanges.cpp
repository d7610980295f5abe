#include "finalize/exchanges.hpp"

#include <algorithm>
#include <mutex>
#include <span>
#include <utility>

#include "comm_naming/comm_naming.hpp"
#include "mpi/host_clocks.hpp"
#include "profile/profile.hpp"

namespace commprof {

namespace {

bool names_others(Registry const& registry, CommIndex comm) {
  return registry[comm].creations > 0 && registry.has_same_members_on_all(registry[comm]);
}

// The closest ancestor whose number of creation calls is in the name.
CommIndex named_by(Registry const& registry, CommIndex comm) {
  do comm = registry[comm].parent;
  while (comm != CommIndex::unknown && !names_others(registry, comm));
  return comm;
}

void collect_names(OwnWaits& waits, Registry const& registry) {
  char room[Registry::max_name];
  std::lock_guard const lock(registry.mutex);
  for (std::size_t i = 0; i < registry.size(); ++i) {
    auto const comm = static_cast<CommIndex>(i);
    if (!names_others(registry, comm)) continue;
    auto const members = static_cast<std::uint32_t>(registry[comm].total_size());
    waits.take_names(comm, registry.name(comm, room), members, registry[comm].creations, named_by(registry, comm));
  }
}

}  // namespace

void collect_waits(OwnWaits& waits, MergedRecords const& records) {
  char room[Registry::max_name];
  PageVector<WaitSample> samples;
  collect_names(waits, communicators::registry);
  {
    std::lock_guard const lock(waits::samples.mutex);
    for (std::size_t i = 0; i < waits::samples.size(); ++i) {
      Sampler const& sampler = waits::samples[i];
      samples.clear();
      waits::samples.for_each(sampler, [&](WaitSample const& sample) { samples.push_back(sample); });
      auto const members = static_cast<std::uint32_t>(communicators::registry.describe(sampler.comm).total_size);
      waits.take(sampler, communicators::registry.name(sampler.comm, room), members, samples.begin(), samples.size(),
                 named_by(communicators::registry, sampler.comm));
    }
  }
  waits.count(records);
}

std::uint64_t names_in_doubt(OwnWaits const& waits) {
  Registry const& registry = communicators::registry;
  std::uint64_t names = 0;
  for (std::size_t i = 0; i < registry.size(); ++i) {
    auto const comm = static_cast<CommIndex>(i);
    bool const counts_here = registry[comm].rank == 0 && !registry[comm].is_folded;
    if (counts_here && waits.names_disagree(named_by(registry, comm))) ++names;
  }
  return names;
}

void exchange_waits(OwnWaits& own, Tree& tree) {
  own.use(host_clocks::compare(clock::calibrate()));
  own.require_agreement();
  waits::Joint<waits::Meeting> meetings;
  own.tell_meetings(meetings);
  join_of_members(tree, meetings);
  waits::Joint<waits::Spending> spendings;
  own.tell_spendings(meetings, spendings);
  join_of_members(tree, spendings);
  own.finish(meetings, spendings);
}

void exchange_windows(OwnTimeWindows const& own, WindowSpan const& span, int group, RunFacts const& facts, Tree& tree,
                      OwnRows& rows) {
  Tree of_group(tree.comm(), facts.rank, facts.ranks, group);
  of_group.fail(tree.failure());
  SummedWindows sums;
  bool const has_memory = sums.begin(span);
  of_group.require(has_memory);
  if (has_memory) sums.add(own);
  reduce_up(of_group, sums);
  tree.fail(of_group.failure());
  if (!of_group.is_root()) return;
  int const last = std::min(facts.rank + group, facts.ranks) - 1;
  tree.require(
      rows.add(File::when, [&](TextWriter& out) { return write_window_rows(span, facts.rank, last, sums, out); }));
}

void exchange_hosts(RowContext const& context, MessageTotals const& totals, Tree& tree, OwnRows& rows) {
  HostRanks hosts;
  Texts names;
  HostPairs pairs;
  tree.require(hosts.take(name_hash(context.facts.host), context.facts.rank));
  tree.require(names.add(context.facts.host));
  reduce_up(tree, hosts);
  reduce_up(tree, names);
  tell_down(tree, hosts);
  tree.require(hosts.order_by_rank());
  pairs.take(context, hosts);
  reduce_up(tree, pairs);
  if (!tree.is_root()) return;
  tree.require(rows.add(File::host_pairs, [&](TextWriter& out) { return pairs.write(totals, names, out); }));
}

}  // namespace commprof
