// The rows of summary.csv and sizes.csv: the rows of operations.csv, added up over processes.
//
// Each process begins with its own calls, and two collections merge into one. What concerns one communicator is
// complete once all its members are in a collection: it is written there and goes no further. So no process handles the
// rows of all communicators.
//
//   communicator                    all calls on it
//     operation                     all calls of it; where it is called at several sites, each of them follows
//       size class                  all calls of it; where these are in several regions or sites, each pair follows
//
// Of all communicators together there is a sum for each operation and site, and, for sizes.csv, for each operation and
// size class.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "base/ids.hpp"
#include "base/memory.hpp"
#include "profile/summed_names.hpp"
#include "profile/text_writer.hpp"

namespace commprof {

struct RowContext;

struct Sum {
  enum class Level : std::uint8_t { communicator, operation, size };

  // What it covers. A level leaves out what belongs to the levels below.
  NameHash comm = NameHash::several;
  Level level{};
  bool covers_others = false;  // the sums that follow in its group
  SizeBin bin{};
  Op op{};
  NameHash region = NameHash::several;
  NameHash site = NameHash::several;

  std::uint32_t ranks = 0;
  std::uint64_t calls = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t seconds = 0;  // and below it the rest: of a million ranks, 64 bits of nanoseconds last for five hours
  std::uint64_t nanoseconds = 0;
  std::uint64_t least_ns = 0;  // of one rank
  std::uint64_t most_ns = 0;
  std::int32_t least_rank = 0;  // the lowest that has it
  std::int32_t most_rank = 0;
  std::uint64_t shortest_ns = 0;  // of one call
  std::uint64_t longest_ns = 0;

  // Sums of one group cover parts of the same: their first one covers the group.
  auto group() const {
    unsigned const operation = level == Level::communicator ? 0 : static_cast<unsigned>(op) + 1;
    return std::tuple(comm, operation, level, bin);
  }
  bool is_of_size_of_all() const { return comm == NameHash::several && level == Level::size; }
  // What differs within a group.
  auto part() const {
    bool const has_site = level != Level::communicator, has_region = level == Level::size;
    return std::tuple(has_region ? region : NameHash::several, has_site ? site : NameHash::several);
  }

  void add(Sum const& other_ranks);
  void add_of_same_rank(Sum const& other);
};

// A communicator that some of the merged processes know.
struct SummedCommunicator {
  NameHash name{};
  std::int32_t size = 0;
  std::uint32_t members = 0;  // in how many processes it is complete; 0: only in all
  std::uint32_t joined = 0;   // of these

  bool is_complete() const { return members != 0 && joined == members; }
};

class Sums {
 public:
  // False if memory was used up: sums are missing.
  bool is_whole() const { return is_whole_; }

  // The calls of one process; to be called once on an object that is empty.
  void take(RowContext const& context);
  // Makes this the sums of both.
  void merge(Sums const& a, Sums const& b);
  // Writes the rows of the communicators that are complete, and takes their sums out. Returns the number of rows.
  std::uint64_t write_complete(TextWriter& out);
  // Writes the rows of all, and takes nothing out.
  std::uint64_t write(TextWriter& out) const;
  // The rows of sizes.csv, likewise.
  std::uint64_t write_sizes(TextWriter& out) const;

  // Visits the sums of so many operations on communicators: of those with most time.
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

  // Its parts, to be sent and received: each is in order.
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
  void write_row(Sum const& sum, SummedCommunicator const* communicator, TextWriter& out) const;
  static void write_sum(Sum const& sum, TextWriter& out);
  template <class Chosen>
  std::uint64_t write_chosen(TextWriter& out, Chosen&& is_chosen) const;
  void drop_complete();

  template <class T>
  void push(PageVector<T>& all, T const& one) {
    if (!all.push_back(one)) is_whole_ = false;
  }

  PageVector<SummedCommunicator> communicators_;  // by name
  PageVector<Sum> sums_;                          // by group, then by part
  SummedNames names_;
  bool is_whole_ = true;
};

}  // namespace commprof
