#include "wrappers/messages.hpp"

namespace commprof::messages {

void count_uncached(CommView const& comm, int dest, std::uint64_t bytes) {
  RecordKey const key = key_of(comm.record.index, bytes);
  auto const translate = [&] { return communicators::world_rank(comm, dest); };
  if (!comm.record.is_folded) return count_messages(key, Peer::in_comm(dest, MessageClass::p2p), bytes, translate);
  WorldRank const rank = translate();
  count_messages(key, Peer::in_world(rank, MessageClass::p2p), bytes, [rank] { return rank; });
}

void count_started(CommIndex comm, PendingRequest const& request) {
  if (!state.options.peers) return;
  WorldRank const rank = request.destination();
  std::uint64_t const bytes = request.bytes().sent;
  count_messages(key_of(comm, bytes), Peer::in_world(rank, MessageClass::p2p), bytes, [rank] { return rank; });
}

void count_one_sided(CommIndex comm, Op op, MPI_Win win, int target, Volume volume) {
  if (!state.options.peers || target < 0 || left_out.has(comm, op)) return;
  bool const is_folded = communicators::registry[comm].is_folded;
  auto const translate = [&] { return communicators::world_rank(win, target); };
  auto const count_way = [&](std::uint64_t bytes, bool is_source) {
    if (bytes == 0) return;  // nothing goes anywhere
    RecordKey const key = key_of(comm, bytes);
    if (!is_folded) return count_messages(key, Peer::in_comm(target, MessageClass::rma, is_source), bytes, translate);
    WorldRank const rank = translate();
    count_messages(key, Peer::in_world(rank, MessageClass::rma, is_source), bytes, [rank] { return rank; });
  };
  count_way(volume.sent, false);
  count_way(volume.received, true);
}

}  // namespace commprof::messages
