#include "finalize/exchanges.hpp"

#include <algorithm>
#include <mutex>
#include <span>
#include <utility>

#include "comm_naming/comm_naming.hpp"
#include "finalize/gather.hpp"
#include "mpi/host_clocks.hpp"
#include "profile/profile.hpp"

namespace commprof {

using waits::Joint;
using waits::JointHead;
using waits::Meeting;
using waits::Spending;

namespace {

constexpr int up = 0, down = 1;

int tag_of(int round, int direction) { return tag_of_waits + tags_of_parcel * (2 * round + direction); }

template <class Sampled>
void send(Channel const& channel, int to, int tag, Joint<Sampled> const& joint) {
  Parcel parcel;
  parcel.put(joint.heads);
  parcel.put(joint.calls);
  parcel.put(joint.is_whole());
  parcel.send(channel, to, tag);
}

// Samples that do not arrive are missing in the rows.
template <class Sampled>
void receive(Channel const& channel, int from, int tag, Joint<Sampled>& joint) {
  Parcel parcel;
  bool is_whole = false;
  bool const is_there =
      !parcel.receive(channel, from, tag) && parcel.get(joint.heads) && parcel.get(joint.calls) && parcel.get(is_whole);
  if (!is_there) joint.clear();
  if (!is_there || !is_whole) joint.lose_some();
}

class Exchange {
 public:
  Exchange(RunFacts const& facts, Channel const& channel) : channel_(channel), tree_(facts.rank, facts.ranks) {}

  // result: the operations of this process, joined with the samples of all members.
  template <class Sampled>
  void join(int round, Joint<Sampled> const& own, Joint<Sampled>& result) const {
    PageVector<JointHead> told_by[Tree::most_children];
    Joint<Sampled> known, next;
    Joint<Sampled>* all = &known;
    Joint<Sampled>* other = &next;
    Joint<Sampled>::merge(own, {}, *all);
    std::span<int const> const children = tree_.children();
    for (std::size_t i = 0; i < children.size(); ++i) {
      Joint<Sampled> told;
      receive(channel_, children[i], tag_of(round, up), told);
      other->clear();
      Joint<Sampled>::merge(*all, told, *other);
      std::swap(all, other);
      told_by[i].swap(told.heads);
    }
    if (!tree_.is_root()) {
      other->clear();
      ask_parent(round, *all, *other);
      std::swap(all, other);
    }
    for (std::size_t i = children.size(); i-- > 0;) {
      Joint<Sampled> answer;
      all->select(told_by[i], answer);
      send(channel_, children[i], tag_of(round, down), answer);
    }
    all->select(own.heads, result);
  }

 private:
  // Sends the incomplete operations of this subtree to the parent. result: receives the complete ones, and the parent's
  // answer about the others.
  template <class Sampled>
  void ask_parent(int round, Joint<Sampled> const& all, Joint<Sampled>& result) const {
    Joint<Sampled> whole, part, answer;
    all.for_each(
        [&](JointHead const& head, Sampled const* first) { (head.is_complete() ? whole : part).add(head, first); });
    send(channel_, tree_.parent(), tag_of(round, up), part);
    receive(channel_, tree_.parent(), tag_of(round, down), answer);
    Joint<Sampled>::merge(whole, answer, result);
  }

  Channel const& channel_;
  Tree tree_;
};

}  // namespace

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

void exchange_waits(OwnWaits& own, RunFacts const& facts, Channel const& channel) {
  own.use(host_clocks::compare(clock::calibrate()));
  own.require_agreement();
  Exchange const exchange(facts, channel);
  Joint<Meeting> meetings, agreed;
  own.tell_meetings(meetings);
  exchange.join(0, meetings, agreed);
  Joint<Spending> spendings, spent;
  own.tell_spendings(agreed, spendings);
  exchange.join(1, spendings, spent);
  own.finish(agreed, spent);
}

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

namespace {

constexpr int tag_of_places_up = tag_of_hosts, tag_of_places_down = tag_of_places_up + tags_of_parcel,
              tag_of_messages = tag_of_places_down + tags_of_parcel;

template <class Parts>
auto visit_all(Parts& parts) {
  return [&parts](auto&& visitor) { parts.visit(visitor); };
}
auto visit_ranges(HostRanks& hosts) {
  return [&hosts](auto&& visitor) { hosts.visit_ranges(visitor); };
}

// The messages of a subtree.
struct Messages {
  HostPairs pairs;
  BytesAcross across;
  bool is_across_known = true;

  template <class Visitor>
  void visit(Visitor&& visitor) {
    pairs.visit(visitor);
    visitor(across);
    visitor(is_across_known);
  }
};

class HostExchange {
 public:
  HostExchange(RunFacts const& facts, Channel const& channel) : channel_(channel), tree_(facts.rank, facts.ranks) {}

  bool is_root() const { return tree_.is_root(); }

  // Gathers the hosts of the subtree's ranks, with their names.
  void gather(HostRanks& hosts) const {
    for (int const child : tree_.children()) {
      HostRanks of_child;
      if (receive(child, tag_of_places_up, visit_all(of_child))) hosts.append(of_child);
      else hosts.lose_some();
    }
    if (!is_root()) send(tree_.parent(), tag_of_places_up, visit_all(hosts));
  }

  // Sends the hosts of all ranks down; only rank 0 has their names.
  void tell(HostRanks& hosts) const {
    if (!is_root() && !receive(tree_.parent(), tag_of_places_down, visit_ranges(hosts))) hosts.lose_some();
    for (int const child : tree_.children()) send(child, tag_of_places_down, visit_ranges(hosts));
  }

  void gather(Messages& messages) const {
    for (int const child : tree_.children()) {
      Messages of_child;
      HostPairs both;
      if (!receive(child, tag_of_messages, visit_all(of_child))) {
        messages.is_across_known = false;
        continue;
      }
      both.merge(messages.pairs, of_child.pairs);
      messages.pairs.swap(both);
      messages.across.add(of_child.across);
      messages.is_across_known = messages.is_across_known && of_child.is_across_known;
    }
    if (!is_root()) send(tree_.parent(), tag_of_messages, visit_all(messages));
  }

 private:
  template <class Visit>
  void send(int to, int tag, Visit&& visit) const {
    Parcel parcel;
    visit([&](auto const& part) { parcel.put(part); });
    parcel.send(channel_, to, tag);
  }
  template <class Visit>
  bool receive(int from, int tag, Visit&& visit) const {
    Parcel parcel;
    bool is_sound = !parcel.receive(channel_, from, tag);
    visit([&](auto& part) { is_sound = is_sound && parcel.get(part); });
    return is_sound;
  }

  Channel const& channel_;
  Tree tree_;
};

}  // namespace

void exchange_hosts(RowContext const& context, bool with_pairs, MessageTotals& totals, Channel const& channel,
                    OwnRows& rows) {
  HostExchange const exchange(context.facts, channel);
  HostRanks hosts;
  hosts.take(context.facts.host, context.facts.rank);
  exchange.gather(hosts);
  exchange.tell(hosts);
  if (hosts.is_whole()) hosts.order_by_rank();
  Messages messages;
  messages.is_across_known = hosts.is_whole();
  if (hosts.is_whole()) {
    Placements const others(hosts);
    messages.is_across_known = others.is_whole();
    if (others.is_whole()) messages.across = bytes_across(context, hosts, others);
    if (with_pairs) messages.pairs.take(context, hosts);
  }
  exchange.gather(messages);
  if (!exchange.is_root()) return;
  totals.across = messages.across;
  totals.is_across_known = messages.is_across_known ? 1 : 0;
  if (with_pairs)
    rows.add(File::host_pairs, [&](TextWriter& out) { return messages.pairs.write(totals, hosts.names(), out); });
}

}  // namespace commprof
