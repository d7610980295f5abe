#include "counters/peers.hpp"

namespace commprof {

PeerRecord* PeerTable::find(RecordKey key, Peer peer) {
  std::uint64_t const hashed = hash(key, peer);
  for (std::uint64_t slot = hashed >> 32 & mask_; slots_ != nullptr && slots_[slot] != nullptr;
       slot = (slot + 1) & mask_)
    if (slots_[slot]->key == key && slots_[slot]->peer == peer)
      return recent_[hashed >> (64 - recent_bits)] = slots_[slot];
  return nullptr;
}

PeerRecord* PeerTable::insert(RecordKey key, Peer peer, WorldRank world_rank) {
  // An index that cannot grow is used until it is full but for one slot, at which searches end.
  if (records_.size() * 2 >= mask_ && !grow() && records_.size() >= mask_) return nullptr;
  PeerRecord* const record = records_.append([=](PeerRecord& made) {
    made.key = key;
    made.peer = peer;
    made.world_rank = world_rank;
  });
  if (record == nullptr) return nullptr;
  put(*record);
  return recent_[hash(key, peer) >> (64 - recent_bits)] = record;
}

void PeerTable::put(PeerRecord& record) {
  std::uint64_t slot = hash(record.key, record.peer) >> 32 & mask_;
  while (slots_[slot] != nullptr) slot = (slot + 1) & mask_;
  slots_[slot] = &record;
}

bool PeerTable::grow() {
  std::uint64_t const old_size = slots_ == nullptr ? 0 : mask_ + 1;
  std::uint64_t const new_size = old_size == 0 ? 256 : old_size * 2;
  auto* const larger = static_cast<PeerRecord**>(map_pages(new_size * sizeof(PeerRecord*)));
  if (larger == nullptr) return false;
  unmap_pages(slots_, old_size * sizeof(PeerRecord*));
  slots_ = larger;
  mask_ = new_size - 1;
  for (std::size_t i = 0, n = records_.size(); i < n; ++i) put(records_[i]);
  return true;
}

}  // namespace commprof
