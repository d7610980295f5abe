#include "counters/peers.hpp"

namespace commprof {

constinit PeerRecord no_peer{.peer = Peer::in_comm(INT32_MIN, MessageClass::p2p)};
constinit PeerRecord unwanted_peer{.peer = Peer::in_comm(INT32_MIN, MessageClass::p2p),
                                   .world_rank = WorldRank::unwanted};

PeerRecord* PeerTable::find(RecordKey key, Peer peer) {
  if (slots_.is_empty()) return nullptr;
  PeerRecord* const known = slots_.find(slot_hash(key, peer), is_of(key, peer));
  return known == nullptr ? nullptr : recent_[hash(key, peer) >> (64 - recent_bits)] = known;
}

PeerRecord* PeerTable::insert(RecordKey key, Peer peer, WorldRank world_rank) {
  PeerRecord** const slot =
      slots_.find_or_room(slot_hash(key, peer), records_.size(), is_of(key, peer),
                          [](PeerRecord const* record) { return slot_hash(record->key, record->peer); });
  if (slot == nullptr) return nullptr;
  PeerRecord* const record = records_.append([=](PeerRecord& made) {
    made.key = key;
    made.peer = peer;
    made.world_rank = world_rank;
  });
  if (record == nullptr) return nullptr;
  *slot = record;
  return recent_[hash(key, peer) >> (64 - recent_bits)] = record;
}

}  // namespace commprof
