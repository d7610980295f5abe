// What one asks first: which call costs most, who talks to whom most, and which sizes cost most.
#pragma once

#include <cstdint>
#include <optional>

#include "reader/profile_reader.hpp"
#include "summary/summary.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

// The pair with most bytes, of the messages of all classes.
struct BusiestPair {
  PairTraffic pair;
  Amount total;             // of all pairs
  std::uint64_t alike = 0;  // other pairs with at least 99 % as many bytes

  [[nodiscard]] double share() const {
    return static_cast<double>(pair.amount.bytes) / static_cast<double>(total.bytes);
  }
};

// A size of calls and its share, 0 to 1.
struct SizeShare {
  SizeBin size;
  double share;
};

// Of the calls that carry data: the size with most of their time, and the one with most of their bytes.
struct MainSizes {
  SizeShare by_time;
  SizeShare by_bytes;
};

// The operation on a communicator with most time. Nothing if no time was recorded.
struct CostliestCall {
  CommunicatorIndex communicator;
  OperationSummary const* operation;  // in the summary
};
[[nodiscard]] std::optional<CostliestCall> find_costliest_call(Summary const& summary);

// Nothing if there are no messages with data.
[[nodiscard]] std::optional<BusiestPair> find_busiest_pair(MessageSums const& messages);

// Nothing if no call carries data. Needs a summary made with Detail::has_parts.
[[nodiscard]] std::optional<MainSizes> find_main_sizes(Summary const& summary);

}  // namespace mpisee_through
