// Computes the rows of summary.csv: the rows of operations.csv, summed over processes. Each process starts with its own
// calls; then the sums of its subtree are added.
//
//   communicator                    all calls on it
//     operation                     all calls of it; a sum for each site follows
//       size class                  all calls of it; a sum for each pair of region and site follows
//
// Over all communicators together there is a sum for each operation and site.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "base/ids.hpp"
#include "base/memory.hpp"
#include "profile/text_writer.hpp"
#include "profile/texts.hpp"

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
  unsigned __int128 time_ns = 0;  // 64 bits last only five hours for a million ranks
  std::uint64_t least_ns = 0;     // of a rank
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
  auto key() const {
    bool const has_site = level != Level::communicator && !covers_others, has_region = has_site && level == Level::size;
    return std::tuple(group(), !covers_others, has_region ? region : NameHash::several,
                      has_site ? site : NameHash::several);
  }

  Sum& operator+=(Sum const& other_ranks);
  void add_of_same_rank(Sum const& other);
};

// A communicator that some of the included processes have.
struct SummedCommunicator {
  NameHash name{};
  std::int32_t size = 0;
  std::uint32_t members = 0;  // number of processes that must be included; 0: all processes of the run
  std::uint32_t joined = 0;   // number of those that are

  auto key() const { return name; }
  SummedCommunicator& operator+=(SummedCommunicator const& other) {
    joined += other.joined;
    return *this;
  }
  bool is_complete() const { return members != 0 && joined == members; }
};

// Functions that return a bool return false if memory is used up.
class Sums {
 public:
  // Takes the calls of one process. Must be called once, on an empty object.
  bool take(RowContext const& context);
  // Adds the sums of other processes.
  bool add(Sums const& others);

  // Write the rows of complete communicators, sorted by name, and of all, and return their number.
  std::uint64_t write_complete(TextWriter& out) const { return write_communicators(out, false); }
  std::uint64_t write(TextWriter& out) const;

  // Drops the sums of complete communicators.
  void drop_complete();

  // Visits the `count` sums of an operation on a communicator that have the most time.
  template <class Visitor>
  void for_each_longest(std::size_t count, Visitor&& visit) const {
    PageVector<Sum const*> longest;
    for (Sum const& sum : sums_)
      if (sum.level == Sum::Level::operation && sum.comm != NameHash::several && !covers_one(sum))
        longest.push_back(&sum);
    std::sort(longest.begin(), longest.end(), [](Sum const* a, Sum const* b) { return a->time_ns > b->time_ns; });
    for (std::size_t i = 0; i < std::min(count, longest.size()); ++i) visit(*longest.begin()[i]);
  }

  // Visits the parts to send or receive.
  template <class Visitor>
  void visit(Visitor&& visitor) {
    visitor(communicators_);
    visitor(sums_);
    names_.visit(visitor);
  }

 private:
  bool take_communicators(RowContext const& context);
  bool add_wider_sums();
  // Whether the sum covers only the next one.
  bool covers_one(Sum const& sum) const {
    return sum.covers_others && (&sum + 2 == sums_.end() || (&sum + 2)->group() != sum.group());
  }
  std::uint64_t write_rows_of(SummedCommunicator const& communicator, TextWriter& out) const;
  void write_row_of(Sum const& sum, std::string_view level, SummedCommunicator const* communicator,
                    TextWriter& out) const;
  std::uint64_t write_communicators(TextWriter& out, bool are_all) const;

  PageVector<SummedCommunicator> communicators_;
  PageVector<Sum> sums_;
  Texts names_;
};

}  // namespace commprof
