// The rows of host_pairs.csv: messages added up by the hosts of sender and receiver.
//
// Each process begins with its own messages, and two collections merge into one. Of very many pairs those with most
// bytes are kept, and the others counted together, so no process has more than most_pairs of them.
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

  // The messages of one process; to be called once on an object that is empty. hosts: ordered by rank.
  void take(RowContext const& context, HostRanks const& hosts);
  // Makes this the sums of both.
  void merge(HostPairs const& a, HostPairs const& b);
  // Returns the number of rows. What the totals have beyond the pairs that are known is one row for each class.
  std::uint64_t write(MessageTotals const& totals, SummedNames const& names, TextWriter& out) const;

  // Its parts, to be sent and received.
  template <class Visitor>
  void visit(Visitor&& visitor) {
    visitor(pairs_);
  }
  void swap(HostPairs& other) { pairs_.swap(other.pairs_); }

 private:
  struct Pair {
    std::uint64_t message_class = 0;
    NameHash from{}, to{};  // NameHash::several is not among them
    MessageAmount amount;

    auto ends() const;
  };

  void add_up();
  void keep_largest();

  PageVector<Pair> pairs_;  // by class, sender and receiver
};

}  // namespace commprof
