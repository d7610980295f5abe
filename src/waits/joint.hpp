// Joins the samples of all members of a communicator.
//
// Each process begins with its own samples. Two collections merge into one, which keeps the later of two entries and
// the sum of two times. The order of merging does not matter: up a tree, or one after the other. Does not know MPI.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

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

// Operations in the order of their keys, and the calls of each in order. Without memory, some are left out, and
// is_whole() is false.
template <class Sampled>
class Joint {
 public:
  PageVector<JointHead> heads;
  PageVector<Sampled> calls;  // of the first head, then of the second one, …

  void clear() {
    heads.clear();
    calls.clear();
    is_whole_ = true;
  }
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

  // Visits each head with its first call.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    Sampled const* call = calls.begin();
    for (JointHead const& head : heads) {
      visit(head, call);
      call += head.sampled;
    }
  }
  // Adds the operations in `keys`, which are in order, to the result.
  void select(PageVector<JointHead> const& keys, Joint& result) const {
    JointHead const* wanted = keys.begin();
    for_each([&](JointHead const& head, Sampled const* first) {
      while (wanted != keys.end() && wanted->key < head.key) ++wanted;
      if (wanted != keys.end() && wanted->key == head.key) result.add(head, first);
    });
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
