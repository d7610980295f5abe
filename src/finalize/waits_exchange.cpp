#include "finalize/waits_exchange.hpp"

#include <algorithm>
#include <cstring>
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

// The messages of one process to another in one direction of one round: heads, calls, and last the numbers of both. A
// message may arrive although MPI reports a failure, and messages of an earlier stream may be late. So each stream has
// tags of its own, and is whole if the numbers match.
class Stream {
 public:
  enum Direction { up, down };

  Stream(Channel const& channel, int other, int round, Direction direction)
      : channel_(channel), other_(other), tag_(tag_of_waits + parts * (2 * round + direction)) {}

  template <class Sampled>
  void send(Joint<Sampled> const& joint) const {
    End const whole{joint.heads.size(), joint.calls.size(), joint.is_whole() ? 1U : 0U};
    bool const is_sent = send_all(joint.heads, heads) && send_all(joint.calls, calls);
    send_end(is_sent ? whole : End{});
  }

  // Receives all messages even after a failure, since the other process waits for its sends to complete. Gives up after
  // two failures in a row.
  template <class Sampled>
  void receive(Joint<Sampled>& joint) const {
    End told;
    bool is_over = false;
    for (bool has_failed = false; !is_over;) {
      Message const message = channel_.receive(other_, has_failed);
      is_over = message.tag == tag_ + end || (message.error != MPI_SUCCESS && has_failed);
      has_failed = message.error != MPI_SUCCESS;
      if (has_failed) continue;
      if (message.tag == tag_ + end) told = message.as<End>();
      if (message.tag == tag_ + heads) append(message.text, joint.heads);
      if (message.tag == tag_ + calls) append(message.text, joint.calls);
    }
    bool const is_whole = told.is_whole != 0 && told.heads == joint.heads.size() && told.calls == joint.calls.size();
    if (is_whole) return;
    joint.clear();
    joint.lose_some();
  }

 private:
  enum Part { heads, calls, end, parts };
  struct End {
    std::uint64_t heads = 0;
    std::uint64_t calls = 0;
    std::uint64_t is_whole = 0;
  };

  void send_end(End const& how_it_ended) const {
    channel_.send_surely(&how_it_ended, sizeof how_it_ended, other_, tag_ + end);
  }
  // Each message has whole elements.
  template <class T>
  bool send_all(PageVector<T> const& all, Part part) const {
    constexpr std::size_t most = Channel::chunk_bytes / sizeof(T);
    bool is_sent = true;
    for (T const* next = all.begin(); next != all.end() && is_sent;) {
      std::size_t const count = std::min(most, static_cast<std::size_t>(all.end() - next));
      is_sent = channel_.send(next, count * sizeof(T), other_, tag_ + part) == MPI_SUCCESS;
      next += count;
    }
    return is_sent;
  }
  template <class T>
  static void append(std::string_view bytes, PageVector<T>& all) {
    std::size_t const before = all.size(), count = bytes.size() / sizeof(T);
    if (all.resize(before + count))
      std::memcpy(static_cast<void*>(all.begin() + before), bytes.data(), count * sizeof(T));
  }

  Channel const& channel_;
  int other_;
  int tag_;
};

// The subtree below a process of rank r in the binomial tree: the ranks from r to below r plus the lowest set bit of r.
class Tree {
 public:
  Tree(RunFacts const& facts, Channel const& channel) : channel_(channel), rank_(facts.rank) {
    for (int step = 1; step < facts.ranks && (rank_ & step) == 0; step *= 2)
      if (rank_ + step < facts.ranks) children_[count_++] = rank_ + step;
  }

  // result: the operations of this process, with the knowledge of all members.
  template <class Sampled>
  void join(int round, Joint<Sampled> const& own, Joint<Sampled>& result) const {
    PageVector<JointHead> told_by[most_children];
    Joint<Sampled> known, next;
    Joint<Sampled>* all = &known;
    Joint<Sampled>* other = &next;
    Joint<Sampled>::merge(own, {}, *all);
    for (unsigned i = 0; i < count_; ++i) {
      Joint<Sampled> told;
      Stream(channel_, children_[i], round, Stream::up).receive(told);
      other->clear();
      Joint<Sampled>::merge(*all, told, *other);
      std::swap(all, other);
      told_by[i].swap(told.heads);
    }
    if (rank_ != 0) {
      other->clear();
      ask_parent(round, *all, *other);
      std::swap(all, other);
    }
    for (unsigned i = count_; i-- > 0;) {
      Joint<Sampled> answer;
      all->select(told_by[i], answer);
      Stream(channel_, children_[i], round, Stream::down).send(answer);
    }
    all->select(own.heads, result);
  }

 private:
  // result: the operations that are complete in this subtree, and the parent's answer about the others.
  template <class Sampled>
  void ask_parent(int round, Joint<Sampled> const& all, Joint<Sampled>& result) const {
    int const parent = rank_ & (rank_ - 1);
    Joint<Sampled> whole, part, answer;
    all.for_each(
        [&](JointHead const& head, Sampled const* first) { (head.is_complete() ? whole : part).add(head, first); });
    Stream(channel_, parent, round, Stream::up).send(part);
    Stream(channel_, parent, round, Stream::down).receive(answer);
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
  tree.join(0, meetings, agreed);
  Joint<Spending> spendings, spent;
  own.tell_spendings(agreed, spendings);
  tree.join(1, spendings, spent);
  own.finish(agreed, spent);
}

}  // namespace commprof
