// Computes the rows of summary.csv and sizes.csv: the rows of operations.csv, summed over processes.
//
// Each process starts with its own calls; then collections are merged two by two. A communicator is complete once a
// collection contains all its members: its rows are written there and not passed on. So no process handles the rows of
// all communicators.
//
//   communicator                    all calls on it
//     operation                     all calls of it; if it is called at several sites, a sum for each follows
//       size class                  all calls of it; if they are in several regions or sites, a sum for each pair follows
//
// Over all communicators together there is a sum for each operation and site and, for sizes.csv, for each operation and
// size class.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "base/ids.hpp"
#include "base/memory.hpp"
#include "profile/messages.hpp"
#include "profile/text_writer.hpp"

namespace commprof {

struct RowContext;

struct Sum {
  enum class Level : std::uint8_t { communicator, operation, size };

  // What the sum covers. Members that belong to lower levels are unused.
  NameHash comm = NameHash::several;
  Level level{};
  bool covers_others = false;  // covers the sums that follow in its group
  bool is_unfinished = false;  // of calls that did not end
  SizeBin bin{};
  Op op{};
  NameHash region = NameHash::several;
  NameHash site = NameHash::several;

  std::uint32_t ranks = 0;
  std::uint64_t calls = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t seconds = 0;  // separate: 64 bits of nanoseconds last only five hours for a million ranks
  std::uint64_t nanoseconds = 0;
  std::uint64_t least_ns = 0;  // of a rank
  std::uint64_t most_ns = 0;
  std::int32_t least_rank = 0;  // the lowest rank with that time
  std::int32_t most_rank = 0;
  std::uint64_t shortest_ns = 0;  // of a call
  std::uint64_t longest_ns = 0;

  // The sums of a group are about the same calls: the first one covers the others.
  auto group() const {
    unsigned const operation = level == Level::communicator ? 0 : static_cast<unsigned>(op) + 1;
    return std::tuple(comm, operation, is_unfinished && operation != 0, level, bin);
  }
  bool is_of_size_of_all() const { return comm == NameHash::several && level == Level::size; }
  // The fields that differ within a group.
  auto part() const {
    bool const has_site = level != Level::communicator, has_region = level == Level::size;
    return std::tuple(has_region ? region : NameHash::several, has_site ? site : NameHash::several);
  }

  void add(Sum const& other_ranks);
  void add_of_same_rank(Sum const& other);
};

// A communicator that some of the merged processes have.
struct SummedCommunicator {
  NameHash name{};
  std::int32_t size = 0;
  std::uint32_t members = 0;  // number of processes that must be joined; 0: all processes of the run
  std::uint32_t joined = 0;   // number joined so far

  bool is_complete() const { return members != 0 && joined == members; }
};

class Sums {
 public:
  // False if sums are missing for lack of memory.
  bool is_whole() const { return is_whole_; }

  // Takes the calls of one process. Must be called once, on an empty object.
  void take(RowContext const& context);
  // Makes this the sum of `a` and `b`.
  void merge(Sums const& a, Sums const& b);
  // Writes the rows of complete communicators and removes their sums. Returns the number of rows.
  std::uint64_t write_complete(TextWriter& out);
  // Writes the rows of all communicators and removes nothing.
  std::uint64_t write(TextWriter& out) const;
  // Writes the rows of sizes.csv and removes nothing.
  std::uint64_t write_sizes(TextWriter& out) const;

  // Visits the `count` sums of an operation on a communicator that have the most time.
  template <class Visitor>
  void for_each_longest(std::size_t count, Visitor&& visit) const {
    PageVector<Sum const*> longest;
    for (Sum const& sum : sums_)
      if (sum.level == Sum::Level::operation && sum.comm != NameHash::several) longest.push_back(&sum);
    std::sort(longest.begin(), longest.end(), [](Sum const* a, Sum const* b) {
      return std::pair(a->seconds, a->nanoseconds) > std::pair(b->seconds, b->nanoseconds);
    });
    for (std::size_t i = 0; i < std::min(count, longest.size()); ++i) visit(*longest.begin()[i]);
  }

  // Visits the parts to send or receive; each is sorted.
  template <class Visitor>
  void visit(Visitor&& visitor) {
    visitor(communicators_);
    visitor(sums_);
    names_.visit(visitor);
  }
  void swap(Sums& other);
  void lose_some() { is_whole_ = false; }

 private:
  void take_communicators(RowContext const& context);
  void take_records(RowContext const& context);
  void move_to(PageVector<Sum>& all, PageVector<Sum>& some);
  void order_groups();
  void add_group(Sum const* first, Sum const* last);
  void merge_groups(Sum const*& a, Sum const* end_of_a, Sum const*& b, Sum const* end_of_b);
  void merge_names(Sums const& a, Sums const& b);
  void add_name(NameHash hash, std::string_view text);
  std::uint64_t write_rows_of(SummedCommunicator const& communicator, TextWriter& out) const;
  void write_row_of(Sum const& sum, std::string_view level, SummedCommunicator const* communicator,
                    TextWriter& out) const;
  template <class Chosen>
  std::uint64_t write_chosen(TextWriter& out, Chosen&& is_chosen) const;
  void drop_complete();

  template <class T>
  void push(PageVector<T>& all, T const& one) {
    if (!all.push_back(one)) is_whole_ = false;
  }

  PageVector<SummedCommunicator> communicators_;  // sorted by name
  PageVector<Sum> sums_;                          // sorted by group, then by part
  SummedNames names_;
  bool is_whole_ = true;
};

}  // namespace commprof
