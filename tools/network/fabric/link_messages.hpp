// Sums the messages between hosts by what they belong to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "summary/overview.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

enum class StreamIndex : std::uint32_t {};

// What messages have in common, apart from their ends. Names are visible text.
struct MessageStream {
  std::string region;
  std::string communicator;
  std::string operation;  // the operation of internal messages; the class of other messages: "p2p", "rma"
};

struct StreamTraffic {
  WorldRank from;
  WorldRank to;
  StreamIndex stream;
  Amount amount;
};

struct LinkMessages {
  std::vector<MessageStream> streams;
  std::vector<StreamTraffic> between_hosts;  // sorted by from, to, stream
  Amount total;                              // all selected messages
  Amount on_links;
  Amount within_hosts;
  Amount other_worlds;   // messages with an end in another world: the profile does not have its hosts
  Amount unknown_hosts;  // messages with an end of which the profile has nothing
  bool has_internal = false;
};

// Reads the profile to its end. Throws ProfileError and SelectionError.
[[nodiscard]] LinkMessages read_link_messages(Profile const& profile, Selection const& selection,
                                              Overview const& overview);

}  // namespace mpisee_through
