// What one asks first about messages: who talks to whom most, and which sizes cost most.
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
  Amount total;  // of all pairs

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

// Nothing if the profile or the selection has no messages with data, or messages know nothing of what is selected.
[[nodiscard]] std::optional<BusiestPair> find_busiest_pair(Profile const& profile, Selection const& selection);

// Nothing if no call carries data. Needs a summary made with Detail::operations_and_sizes.
[[nodiscard]] std::optional<MainSizes> find_main_sizes(Summary const& summary);

}  // namespace mpisee_through
