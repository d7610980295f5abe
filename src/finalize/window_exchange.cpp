#include "finalize/window_exchange.hpp"

#include <algorithm>

#include "finalize/parcel.hpp"
#include "finalize/tree.hpp"

namespace commprof {

bool exchange_windows(OwnTimeWindows const& own, WindowSpan const& span, int group, RowContext const& context,
                      Channel const& channel, OwnRows& rows) {
  RunFacts const& facts = context.facts;
  Tree const tree(facts.rank, facts.ranks);
  SummedWindows sums;
  bool is_whole = sums.begin(span);
  if (is_whole) sums.add(own);
  for (int const child : tree.children()) {
    if (child - facts.rank >= group) break;  // the first of another group
    Parcel parcel;
    PageVector<WindowAmounts> of_child;
    bool const is_received = !parcel.receive(channel, child, tag_of_windows);
    is_whole = is_received && parcel.get(of_child) && is_whole && sums.add(of_child);
  }
  if (facts.rank % group != 0) {
    Parcel parcel;
    parcel.put(sums.all());
    return !parcel.send(channel, tree.parent(), tag_of_windows) && is_whole;
  }
  int const last = std::min(facts.rank + group, facts.ranks) - 1;
  return is_whole &&
         rows.add(File::when, [&](TextWriter& out) { return write_window_rows(span, facts.rank, last, sums, out); });
}

}  // namespace commprof
