// The samples of one process, and the rows that result when they are joined with those of the others.
//
// This takes two rounds. In the first, the members join the times of their entries (Meeting), so that each knows how
// long it waited. In the second, they sum these waiting times (Spending). The caller exchanges the data in between.
// Does not know MPI.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/hash.hpp"
#include "base/memory.hpp"
#include "waits/samples.hpp"

namespace commprof::waits {

// An operation on a communicator, the same on all members.
struct JointKey {
  std::uint64_t name, name_again;  // two hashes of the communicator's name
  std::uint64_t op;

  static JointKey of(std::string_view name, Op op) {
    std::uint64_t const hash = hash_of(name);
    return {hash, fnv1a<std::uint32_t>(name) ^ hash << 32 ^ name.size(), static_cast<std::uint64_t>(op)};
  }
  // Stands for the names of communicators that were made from this one.
  static JointKey of_names(std::string_view name) { return of(name, Op::count_); }
  friend auto operator<=>(JointKey const&, JointKey const&) = default;
};

// The calls of one operation on one communicator. The sampled ones follow in Joint::calls.
struct JointHead {
  JointKey key;
  std::uint32_t members = 0;  // of the communicator
  std::uint32_t joined = 0;   // members whose samples are merged
  std::uint32_t level = 0;    // the highest level of these members: calls that are not of that level are left out
  std::uint32_t has_several_hosts = 0;
  std::uint32_t has_common_clock = 0;  // entries are on a clock shared by all hosts
  std::uint64_t clock_error_ns = 0;    // error bound of that clock
  std::uint64_t host = 0;              // a number for the host
  std::uint64_t calls = 0;             // on all members
  std::uint64_t time_ns = 0;           // of these calls
  std::uint64_t sampled = 0;           // number of calls that follow
  // The numbers that members give to the next call. They differ if a call has failed on some members only: then number
  // n is another call on each of them.
  std::uint64_t least_number = 0, most_number = 0;

  bool is_complete() const { return joined == members; }
  bool have_agreed() const { return least_number == most_number; }
  // Whether entries can be compared: all are on one host, or the common clock's error is less than a quarter of the
  // mean duration of a call.
  bool has_entries() const {
    return has_several_hosts == 0 || (has_common_clock != 0 && clock_error_ns * calls <= time_ns / 4);
  }
  void join(JointHead const& other);
};

// When members entered a call.
struct Meeting {
  static constexpr std::int64_t unknown = INT64_MIN;

  std::uint64_t call = 0;
  std::int64_t latest = 0;         // entry, in ticks
  std::int64_t of_root = unknown;  // likewise
  std::uint64_t least_ns = 0;      // shortest duration of the call on a member
  std::int32_t last_rank = 0;      // the world rank that came latest
  std::uint32_t joined = 0;        // members whose entries are merged

  void join(Meeting const& other) {
    if (other.latest > latest || (other.latest == latest && other.last_rank < last_rank)) {
      latest = other.latest;
      last_rank = other.last_rank;
    }
    of_root = std::max(of_root, other.of_root);
    least_ns = std::min(least_ns, other.least_ns);
    joined += other.joined;
  }
};

// How long members waited in a call.
struct Spending {
  std::uint64_t call = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t wait_ns = 0;
  std::uint64_t behind_ns = 0;  // from each entry to the latest one
  std::uint64_t least_ns = 0;   // shortest duration without the waiting
  std::uint32_t joined = 0;

  void join(Spending const& other) {
    time_ns += other.time_ns;
    wait_ns += other.wait_ns;
    behind_ns += other.behind_ns;
    least_ns = std::min(least_ns, other.least_ns);
    joined += other.joined;
  }
};

// The samples of all members of a communicator, joined. Each process begins with its own samples. Two collections merge
// into one, which keeps the later of two entries and the sum of two times. The order of merging does not matter: up a
// tree, or one after the other.
//
// Operations are in the order of their keys, and the calls of each in order. Without memory, some are left out, and
// is_whole() is false.
template <class Sampled>
class Joint {
 public:
  PageVector<JointHead> heads;
  PageVector<Sampled> calls;  // of the first head, then of the second one, …

  bool is_whole() const { return is_whole_; }
  void lose_some() { is_whole_ = false; }

  // To be added in order.
  void begin(JointHead const& head) {
    has_room_for_head_ = heads.push_back(head);
    if (!has_room_for_head_) return lose_some();
    (heads.end() - 1)->sampled = 0;
  }
  void add(Sampled const& sampled) {
    if (!has_room_for_head_) return;
    if (calls.push_back(sampled)) ++(heads.end() - 1)->sampled;
    else lose_some();
  }
  void add(JointHead const& head, Sampled const* first) {
    begin(head);
    for (Sampled const* one = first; one != first + head.sampled; ++one) add(*one);
  }

  // Adds both collections to the result.
  static void merge(Joint const& a, Joint const& b, Joint& result) {
    Sampled const* call_of_a = a.calls.begin();
    Sampled const* call_of_b = b.calls.begin();
    JointHead const* of_a = a.heads.begin();
    JointHead const* of_b = b.heads.begin();
    auto const take = [&](JointHead const*& head, Sampled const*& call) {
      result.add(*head, call);
      call += head->sampled;
      ++head;
    };
    while (of_a != a.heads.end() || of_b != b.heads.end()) {
      if (of_b == b.heads.end() || (of_a != a.heads.end() && of_a->key < of_b->key)) {
        take(of_a, call_of_a);
      } else if (of_a == a.heads.end() || of_b->key < of_a->key) {
        take(of_b, call_of_b);
      } else {
        merge(*of_a, call_of_a, *of_b, call_of_b, result);
        call_of_a += of_a++->sampled;
        call_of_b += of_b++->sampled;
      }
    }
    if (!a.is_whole() || !b.is_whole()) result.lose_some();
  }

  // Adds another collection. False if memory is used up, here or before.
  bool add(Joint const& other) {
    Joint both;
    merge(*this, other, both);
    swap(both);
    return is_whole_;
  }

  // Visits each head with its first call.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    Sampled const* call = calls.begin();
    for (JointHead const& head : heads) {
      visit(head, call);
      call += head.sampled;
    }
  }
  // Adds the operations that meet a condition to the result. False if memory is used up.
  template <class Condition>
  bool select(Joint& result, Condition&& condition) const {
    for_each([&](JointHead const& head, Sampled const* first) {
      if (condition(head)) result.add(head, first);
    });
    return result.is_whole();
  }
  // Whether this collection has the operation.
  bool wants(JointHead const& head) const {
    JointHead const* const place = std::lower_bound(
        heads.begin(), heads.end(), head, [](JointHead const& a, JointHead const& b) { return a.key < b.key; });
    return place != heads.end() && place->key == head.key;
  }
  void keep_heads() { calls.release(); }
  void swap(Joint& other) {
    heads.swap(other.heads);
    calls.swap(other.calls);
    std::swap(is_whole_, other.is_whole_);
  }
  // Visits the parts to send or receive.
  template <class Visitor>
  void visit(Visitor&& visitor) {
    visitor(heads);
    visitor(calls);
  }

 private:
  static void merge(JointHead const& a, Sampled const* of_a, JointHead const& b, Sampled const* of_b, Joint& result) {
    JointHead head = a;
    head.join(b);
    result.begin(head);
    Sampled const* const end_of_a = of_a + a.sampled;
    Sampled const* const end_of_b = of_b + b.sampled;
    while (of_a != end_of_a || of_b != end_of_b) {
      bool const takes_a = of_b == end_of_b || (of_a != end_of_a && of_a->call <= of_b->call);
      bool const takes_b = of_a == end_of_a || (of_b != end_of_b && of_b->call <= of_a->call);
      Sampled both = takes_a ? *of_a : *of_b;
      if (takes_a && takes_b) both.join(*of_b);
      if (takes_a) ++of_a;
      if (takes_b) ++of_b;
      if (is_sampled(both.call, head.level)) result.add(both);
    }
  }

  bool is_whole_ = true;
  bool has_room_for_head_ = false;
};

}  // namespace commprof::waits

namespace commprof {

// A row of waits.csv. Times are summed over all calls of all members.
struct WaitRow {
  CommIndex comm{};
  Op op{};
  std::uint32_t ranks = 0;
  std::uint64_t calls = 0;
  std::uint64_t samples = 0;
  bool is_by_entries = false;  // else wait_ns is an upper bound
  bool has_error = false;      // false: one sampled call of several gives no estimate of the error
  std::uint64_t time_ns = 0, wait_ns = 0, wait_error_ns = 0, move_ns = 0, rest_ns = 0;
  // last_rank, last_calls and late_ns are valid if has_last.
  bool has_last = false;
  std::int32_t last_rank = 0;
  std::uint64_t last_calls = 0;  // of those in the sample
  std::uint64_t late_ns = 0;
};

// This process's row of waits_by_rank.csv.
struct OwnWaitRow {
  CommIndex comm{};
  Op op{};
  std::uint64_t samples = 0, time_ns = 0, wait_ns = 0, last = 0;
};

class OwnWaits {
 public:
  // host: a number for the host. Its processes share a clock.
  OwnWaits(std::int32_t world_rank, std::uint64_t host, clock::Rate rate)
      : rank_(world_rank), host_(host), rate_(rate) {}

  // One operation on a communicator, and its calls that are sampled, in any order. named_by: the closest ancestor that
  // take_names() gets.
  void take(Sampler const& sampler, std::string_view name, std::uint32_t members, WaitSample const* samples,
            std::size_t count, CommIndex named_by = CommIndex::unknown);
  // A communicator from which others were made, by so many calls: their numbers are in the others' names.
  void take_names(CommIndex comm, std::string_view name, std::uint32_t members, std::uint32_t creations,
                  CommIndex named_by);
  // From now on, operations whose members have counted different numbers of calls or creations have no rows. Must not
  // be called for processes that were killed, each at another call.
  void require_agreement() { must_agree_ = true; }
  // Counts all calls of this process, in the order of their keys. Must follow the last take().
  template <class Records>
  void count(Records const& records) {
    order_by_comm();
    for (Record const& record : records) add(record);
    order_by_key();
  }

  // The common clock of several hosts. Without one, processes of different hosts compare durations.
  void use(CommonClock const& clock) { clock_ = clock; }
  CommonClock const& clock() const { return clock_; }

  void tell_meetings(waits::Joint<waits::Meeting>& told) const;
  // agreed: the meetings of all members, for the operations of this process. From now on own_rows() are valid.
  void tell_spendings(waits::Joint<waits::Meeting> const& agreed, waits::Joint<waits::Spending>& told);
  // spent: the result of the second round. From now on rows() are valid.
  void finish(waits::Joint<waits::Meeting> const& agreed, waits::Joint<waits::Spending> const& spent);

  // All members of a communicator have equal rows.
  PageVector<WaitRow> const& rows() const { return rows_; }
  PageVector<OwnWaitRow> const& own_rows() const { return own_rows_; }
  // The waiting in own_rows() that is measured, not only bounded.
  std::uint64_t measured_ns() const;
  // Calls of this process that are in no row, because samples of some members are missing.
  std::uint64_t incomplete_calls() const { return incomplete_calls_; }
  // Calls of this process that are in no row, because members have numbered them, or named the communicator,
  // differently.
  std::uint64_t disagreeing_calls() const { return disagreeing_calls_; }
  // Whether members may have given other names to communicators that were made from this one or its descendants.
  bool names_disagree(CommIndex comm) const;

 private:
  struct Operation {
    waits::JointHead head;  // of this process alone
    CommIndex comm{};
    Op op{};
    std::size_t first = 0;  // sample
    CommIndex named_by = CommIndex::unknown;
    bool has_row = false;
    bool disagrees = false;

    bool is_of_names() const { return op == Op::count_; }
  };
  Operation operation_of(waits::JointKey const& key, CommIndex comm, Op op, std::uint32_t members,
                         std::uint64_t number) const;
  void find_disagreements(waits::Joint<waits::Meeting> const& agreed);
  waits::JointHead head_of(Operation const& operation) const;
  Ticks entry_of(WaitSample const& sample) const { return clock_.is_known ? clock_.of(sample.entry) : sample.entry; }
  clock::Rate entry_rate() const { return clock_.is_known ? clock_.rate : rate_; }
  void order_by_comm();
  void order_by_key();
  void add(Record const& record);
  void spend(Operation const& operation, waits::JointHead const& head, waits::Meeting const* meetings,
             waits::Joint<waits::Spending>& told);
  WaitRow row_of(waits::JointHead const& head, waits::Meeting const* meetings, waits::JointHead const& spent,
                 waits::Spending const* spendings) const;

  std::int32_t rank_;
  std::uint64_t host_;
  clock::Rate rate_;
  CommonClock clock_;
  PageVector<Operation> operations_;  // in the order of their keys
  PageVector<WaitSample> samples_;
  PageVector<WaitRow> rows_;
  PageVector<OwnWaitRow> own_rows_;
  std::uint64_t incomplete_calls_ = 0, disagreeing_calls_ = 0;
  bool must_agree_ = false, any_names_disagree_ = false;
};

}  // namespace commprof
