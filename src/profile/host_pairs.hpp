// The rows of host_pairs.csv: messages summed by the hosts of sender and receiver.
//
// Each process starts with its own messages; then collections are merged two by two. Each collection keeps at most
// most_pairs pairs: those with the most bytes; the others are summed together.
#pragma once

#include <cstdint>

#include "base/memory.hpp"
#include "profile/host_ranks.hpp"
#include "profile/message_totals.hpp"
#include "profile/text_writer.hpp"

namespace commprof {

class HostPairs {
 public:
  static constexpr std::size_t most_pairs = std::size_t{64} * 1024;

  // Takes the messages of one process. Must be called once, on an empty object. hosts: ordered by rank.
  void take(RowContext const& context, HostRanks const& hosts);
  // Makes this the sums of both.
  void merge(HostPairs const& a, HostPairs const& b);
  // Writes the rows and returns their number. The difference between the totals and the known pairs becomes one row for
  // each class.
  std::uint64_t write(MessageTotals const& totals, SummedNames const& names, TextWriter& out) const;

  // Visits the parts to send or receive.
  template <class Visitor>
  void visit(Visitor&& visitor) {
    visitor(pairs_);
  }
  void swap(HostPairs& other) { pairs_.swap(other.pairs_); }

 private:
  struct Pair {
    std::uint64_t message_class = 0;
    NameHash from{}, to{};  // never NameHash::several
    MessageAmount amount;

    auto ends() const;
  };

  void add_up();
  void keep_largest();

  PageVector<Pair> pairs_;  // sorted by class, sender, receiver
};

}  // namespace commprof
