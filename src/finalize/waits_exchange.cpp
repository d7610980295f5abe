#include "finalize/waits_exchange.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "comm_naming/comm_naming.hpp"
#include "mpi/host_clocks.hpp"

namespace commprof {

using waits::Joint;
using waits::JointHead;
using waits::Meeting;
using waits::Spending;

namespace {

constexpr unsigned most_children = 31;  // ranks are positive integers

// What precedes the heads and the calls.
struct Announcement {
  std::uint64_t heads = 0;
  std::uint64_t calls = 0;
  std::uint64_t is_whole = 1;
};

void send_all(Channel const& channel, void const* data, std::size_t bytes, int to) {
  for (auto const* next = static_cast<char const*>(data); bytes > 0;) {
    std::size_t const length = std::min(bytes, Channel::chunk_bytes);
    channel.send_surely(next, length, to, tag_of_waits);
    next += length;
    bytes -= length;
  }
}

// What there is no room for is received and forgotten.
template <class T>
bool receive_all(Channel const& channel, PageVector<T>& all, std::uint64_t count, int from) {
  static char nowhere[Channel::chunk_bytes];
  bool const has_room = all.resize(count);
  bool is_whole = has_room;
  auto* next = reinterpret_cast<char*>(all.begin());
  for (std::uint64_t bytes = count * sizeof(T); bytes > 0;) {
    std::size_t const length = std::min<std::size_t>(bytes, Channel::chunk_bytes);
    if (channel.receive_into(has_room ? next : nowhere, length, from, tag_of_waits) != MPI_SUCCESS) is_whole = false;
    next += length;
    bytes -= length;
  }
  if (!is_whole) all.clear();
  return is_whole;
}

template <class Sampled>
void send(Channel const& channel, Joint<Sampled> const& joint, int to) {
  Announcement const announced{joint.heads.size(), joint.calls.size(), joint.is_whole() ? 1U : 0U};
  channel.send_surely(&announced, sizeof announced, to, tag_of_waits);
  send_all(channel, joint.heads.begin(), joint.heads.size() * sizeof(JointHead), to);
  send_all(channel, joint.calls.begin(), joint.calls.size() * sizeof(Sampled), to);
}

template <class Sampled>
void receive(Channel const& channel, Joint<Sampled>& joint, int from) {
  Announcement announced;
  bool is_whole = channel.receive_into(&announced, sizeof announced, from, tag_of_waits) == MPI_SUCCESS;
  if (!is_whole) announced = {};
  is_whole = receive_all(channel, joint.heads, announced.heads, from) && is_whole;
  is_whole = receive_all(channel, joint.calls, announced.calls, from) && is_whole;
  if (!is_whole) {
    joint.heads.clear();
    joint.calls.clear();
  }
  if (!is_whole || announced.is_whole == 0) joint.lose_some();
}

// The part of the tree that a process is the root of: the processes of the ranks from its own up, as many as the lowest
// bit of its rank says.
class Tree {
 public:
  Tree(RunFacts const& facts, Channel const& channel) : channel_(channel), rank_(facts.rank) {
    for (int step = 1; step < facts.ranks && (rank_ & step) == 0; step *= 2)
      if (rank_ + step < facts.ranks) children_[count_++] = rank_ + step;
  }

  // What is known of the operations that this process knows, by all that know them.
  template <class Sampled>
  void join(Joint<Sampled> const& own, Joint<Sampled>& result) const {
    PageVector<JointHead> told_by[most_children];
    Joint<Sampled> known, next;
    Joint<Sampled>* all = &known;
    Joint<Sampled>* other = &next;
    Joint<Sampled>::merge(own, {}, *all);
    for (unsigned i = 0; i < count_; ++i) {
      Joint<Sampled> told;
      receive(channel_, told, children_[i]);
      other->clear();
      Joint<Sampled>::merge(*all, told, *other);
      std::swap(all, other);
      told_by[i].swap(told.heads);
    }
    if (rank_ != 0) {
      other->clear();
      ask_parent(*all, *other);
      std::swap(all, other);
    }
    for (unsigned i = count_; i-- > 0;) {
      Joint<Sampled> answer;
      all->select(told_by[i], answer);
      send(channel_, answer, children_[i]);
    }
    all->select(own.heads, result);
  }

 private:
  // result: what is whole here, and what the others know of the rest.
  template <class Sampled>
  void ask_parent(Joint<Sampled> const& all, Joint<Sampled>& result) const {
    int const parent = rank_ & (rank_ - 1);
    Joint<Sampled> whole, part, answer;
    all.for_each(
        [&](JointHead const& head, Sampled const* first) { (head.is_complete() ? whole : part).add(head, first); });
    send(channel_, part, parent);
    receive(channel_, answer, parent);
    Joint<Sampled>::merge(whole, answer, result);
  }

  Channel const& channel_;
  int rank_;
  int children_[most_children]{};
  unsigned count_ = 0;
};

}  // namespace

void collect_waits(OwnWaits& waits, MergedRecords const& records) {
  char room[Registry::max_name];
  PageVector<WaitSample> samples;
  {
    std::lock_guard const lock(waits::samples.mutex);
    for (std::size_t i = 0; i < waits::samples.size(); ++i) {
      Sampler const& sampler = waits::samples[i];
      samples.clear();
      waits::samples.for_each(sampler, [&](WaitSample const& sample) { samples.push_back(sample); });
      auto const members = static_cast<std::uint32_t>(communicators::registry.describe(sampler.comm).total_size);
      waits.take(sampler, communicators::registry.name(sampler.comm, room), members, samples.begin(), samples.size());
    }
  }
  waits.count(records);
}

void exchange_waits(OwnWaits& own, RunFacts const& facts, Channel const& channel) {
  own.use(host_clocks::compare(clock::calibrate()));
  Tree const tree(facts, channel);
  Joint<Meeting> meetings, agreed;
  own.tell_meetings(meetings);
  tree.join(meetings, agreed);
  Joint<Spending> spendings, spent;
  own.tell_spendings(agreed, spendings);
  tree.join(spendings, spent);
  own.finish(agreed, spent);
}

}  // namespace commprof
