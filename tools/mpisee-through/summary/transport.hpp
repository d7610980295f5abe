// Compares what the MPI gave to its transport (class network) with what the program sent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "summary/overview.hpp"
#include "summary/selection.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

// Whether the run counted what the MPI gives to its transport (COMMPROF_TRANSPORT=1).
[[nodiscard]] bool observes_transport(Run const& run);

// What the transport was given of the messages between ranks.
struct SeenByTransport {
  std::uint64_t messages = 0;                  // that the program sent (class p2p)
  std::uint64_t unseen = 0, unseen_pairs = 0;  // of these, those of pairs of ranks for which it was given nothing
  // Whether the load of the machine, or of what is between hosts, follows from what it was given: it was given
  // something for each pair of ranks between which messages of another class went, and the ranks of all that it was
  // given are known.
  bool has_all = false, has_all_between_hosts = false;
};
// Nothing if !observes_transport(), and if the profile lacks the rows of some ranks. Throws ProfileError.
[[nodiscard]] std::optional<SeenByTransport> read_seen_by_transport(Profile const& profile);

// What is to be said of the transport if some messages are unseen: "was given nothing for …". Else empty.
[[nodiscard]] std::string describe_unseen(std::optional<SeenByTransport> const& seen);

// The bytes that the transport was given in the whole run for each byte that the program sent or moved, in messages,
// one-sided and collective calls. Nothing if there are none, or if the transport was given nothing.
[[nodiscard]] std::optional<double> read_bytes_given_for_each(Profile const& profile);

// Which load is wanted.
enum class Load { of_machine, between_hosts };
// Selects the class network if it has all of this load, and if the user selects only ranks and regions: messages of
// this class have no communicator and operation of their own, and other sizes.
void prefer_transport(Selection& selection, std::optional<SeenByTransport> const& seen, Load load);
// Whether only this class is selected.
[[nodiscard]] bool is_of_transport(Selection const& selection);
// Says so in a head.
inline constexpr std::string_view traffic_of_transport = "what the MPI gave to its transport";

}  // namespace mpisee_through
