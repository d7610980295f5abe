#include "counters/peers.hpp"

namespace commprof {

PeerRecord* PeerTable::find(RecordKey key, Peer peer) {
  if (slots_.room() == 0) return nullptr;
  PeerRecord* const known = slot_of(key, peer);
  return known == nullptr ? nullptr : recent_[hash(key, peer) >> (64 - recent_bits)] = known;
}

PeerRecord* PeerTable::insert(RecordKey key, Peer peer, WorldRank world_rank) {
  auto const hash_of = [](PeerRecord const* record) { return hash(record->key, record->peer) >> 32; };
  if (!slots_.make_room(records_.size(), hash_of)) return nullptr;
  PeerRecord* const record = records_.append([=](PeerRecord& made) {
    made.key = key;
    made.peer = peer;
    made.world_rank = world_rank;
  });
  if (record == nullptr) return nullptr;
  slot_of(key, peer) = record;
  return recent_[hash(key, peer) >> (64 - recent_bits)] = record;
}

}  // namespace commprof
