#include "finalize/waits_exchange.hpp"

#include <algorithm>
#include <mutex>
#include <span>
#include <utility>

#include "comm_naming/comm_naming.hpp"
#include "finalize/parcel.hpp"
#include "finalize/tree.hpp"
#include "mpi/host_clocks.hpp"

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

}  // namespace commprof
