// The messages of a profile that go from host to host, by what they belong to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "summary/overview.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

enum class StreamIndex : std::uint32_t {};

// What messages have in common beside their ends. As visible text.
struct MessageStream {
  std::string region;
  std::string communicator;
  std::string operation;  // of internal messages; the class of others: "p2p", "rma"
};

struct StreamTraffic {
  WorldRank from;
  WorldRank to;
  StreamIndex stream;
  Amount amount;
};

struct LinkMessages {
  std::vector<MessageStream> streams;
  std::vector<StreamTraffic> between_hosts;  // ascending, by from, to, stream
  Amount total;                              // of all that are selected
  Amount on_links;
  Amount within_hosts;
  Amount other_worlds;   // an end is of another world, whose hosts the profile does not have
  Amount unknown_hosts;  // an end is a rank of which nothing is known
  bool has_internal = false;
};

// Reads the profile to its end. Throws ProfileError and SelectionError.
[[nodiscard]] LinkMessages read_link_messages(Profile const& profile, Selection const& selection,
                                              Overview const& overview);

}  // namespace mpisee_through
