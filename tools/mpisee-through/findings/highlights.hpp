// Finds the costliest call, the pair with most messages, the costliest sizes, and the time of each kind of call.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "reader/profile_reader.hpp"
#include "summary/operation_kind.hpp"
#include "summary/summary.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

// The two ranks with the most bytes from one to the other, over all classes of messages.
struct BusiestPair {
  PairTraffic pair;
  Amount total;                  // over all messages, also of ranks to themselves
  std::uint64_t alike = 0;       // other pairs with at least 99 % as many bytes
  std::uint64_t bytes_sent = 0;  // by all calls: collectives and files send bytes that are in no message

  [[nodiscard]] double share() const { return share_of(pair.amount.bytes, total.bytes).value_or(0); }
  // The part of the bytes sent that the messages hold. Nothing if they hold more, because the MPI's own count, too.
  [[nodiscard]] std::optional<double> share_of_bytes_sent() const {
    return total.bytes > bytes_sent ? std::nullopt : share_of(total.bytes, bytes_sent);
  }
};

// A size of calls and its share, 0 to 1.
struct SizeShare {
  SizeBin size;
  double share;
};

// Among the calls that carry data: the size with most of their time, and the size with most of their bytes.
struct MainSizes {
  SizeShare by_time;
  SizeShare by_bytes;
  double time_s;  // of all calls with data
};

// The operation on a communicator with the most time. Nothing if no time was recorded.
struct CostliestCall {
  CommunicatorIndex communicator;
  Cell const* operation;  // points into the summary
};
[[nodiscard]] std::optional<CostliestCall> find_costliest_call(Summary const& summary);

struct KindTotals {
  OperationKind kind;
  Totals totals;
};
// The kinds of calls with time, descending by it.
[[nodiscard]] std::vector<KindTotals> totals_by_kind(Summary const& summary);

// Nothing if no message between two ranks has data. Leaves bytes_sent at 0.
[[nodiscard]] std::optional<BusiestPair> find_busiest_pair(MessageSums const& messages);

// Nothing if no call carries data. Needs a summary with cells by size.
[[nodiscard]] std::optional<MainSizes> find_main_sizes(Summary const& summary);

}  // namespace mpisee_through
