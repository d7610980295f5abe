#include "finalize/exchanges.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "comm_naming/comm_naming.hpp"
#include "profile/profile.hpp"

namespace commprof {

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
  tree.require(hosts.take(name_hash(context.facts.host)));
  tree.require(names.add(context.facts.host));
  reduce_up(tree, hosts);
  reduce_up(tree, names);
  tell_down(tree, hosts);
  pairs.take(context, hosts);
  reduce_up(tree, pairs);
  if (!tree.is_root()) return;
  tree.require(rows.add(File::host_pairs, [&](TextWriter& out) { return pairs.write(totals, names, out); }));
}

}  // namespace commprof
