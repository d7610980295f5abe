#include "counters/shards.hpp"

#include <pthread.h>

#include <mutex>

#include "base/dropped.hpp"
#include "ops.hpp"
#include "spool/spool.hpp"

namespace commprof {

// One number is left for what is no operation (RecordKey::of_nothing).
static_assert(static_cast<std::size_t>(Op::count_) < std::size_t{1} << RecordKey::op_bits);

namespace {
std::mutex shards_mutex;
Shard* all_shards = nullptr;
std::uint32_t shard_count = 0;
std::uint64_t thread_count = 0;
pthread_key_t thread_exit_key;
bool has_thread_exit_key = false;
}  // namespace

constinit Record no_record{
    .key = {UINT64_MAX}, .calls = 0, .bytes = {}, .time = {}, .shortest = {}, .longest = {}, .last = {}};

constinit thread_local ThreadState this_thread;

[[gnu::cold, gnu::noinline]] Record* Shard::drop_record() {
  dropped::count(Dropped::records);
  return nullptr;
}

[[gnu::hot]] Record* Shard::search_or_insert(RecordKey key) {
  if (key.is_of_nothing()) return nullptr;
  Record*& recent = recent_[static_cast<std::size_t>(key.op())];
  Slot* place = slots_ != nullptr ? &place_of(key) : nullptr;
  if (place != nullptr && place->record != nullptr) return recent = place->record;
  if (place == nullptr || records_.size() * 2 > mask_) [[unlikely]] {
    if (grow_index()) place = &place_of(key);
    else if (place == nullptr || records_.size() + 1 > mask_) return drop_record();
  }
  Record* const made = records_.append([key](Record& record) { record.key = key; });
  if (made == nullptr) return drop_record();
  *place = {key, made};
  return recent = made;
}

// Where the key is, or would be: there is a free place at any time.
Shard::Slot& Shard::place_of(RecordKey key) {
  std::uint64_t slot = home(key);
  while (slots_[slot].record != nullptr && slots_[slot].key != key) slot = (slot + 1) & mask_;
  return slots_[slot];
}

bool Shard::grow_index() {
  std::uint64_t const old_size = slots_ == nullptr ? 0 : mask_ + 1;
  std::uint64_t const new_size = old_size == 0 ? 256 : old_size * 2;
  auto* const larger = static_cast<Slot*>(map_pages(new_size * sizeof(Slot)));
  if (larger == nullptr) return false;
  fetch_pages(larger, new_size * sizeof(Slot));
  unmap_pages(slots_, old_size * sizeof(Slot));
  slots_ = larger;
  mask_ = new_size - 1;
  for (std::size_t i = 0, n = records_.size(); i < n; ++i) place_of(records_[i].key) = {records_[i].key, &records_[i]};
  return true;
}

Shard* Shards::claim() {
  std::lock_guard const lock(shards_mutex);
  Shard* shard = all_shards;
  while (shard != nullptr && shard->in_use_) shard = shard->next_;
  if (shard == nullptr) {
    void* const pages = map_pages(sizeof(Shard));
    if (pages == nullptr) {
      dropped::count(Dropped::records);
      return nullptr;
    }
    shard = new (pages) Shard;
    shard->records_.keep_as({spool::Kind::records, shard_count});
    shard->peers.keep_as({spool::Kind::peers, shard_count});
    shard->number = shard_count++;
    shard->next_ = all_shards;
    all_shards = shard;
  }
  shard->in_use_ = true;
  spool::head().threads = ++thread_count;
  if (!has_thread_exit_key) has_thread_exit_key = pthread_key_create(&thread_exit_key, leave) == 0;
  if (has_thread_exit_key) pthread_setspecific(thread_exit_key, shard);
  this_thread.requests = shard->requests;
  return this_thread.shard = shard;
}

void Shards::leave(void* shard) {
  std::lock_guard const lock(shards_mutex);
  static_cast<Shard*>(shard)->in_use_ = false;
  this_thread.shard = nullptr;
  this_thread.requests = nullptr;
}

Shard* Shards::first() {
  std::lock_guard const lock(shards_mutex);
  return all_shards;
}

std::uint64_t Shards::threads() {
  std::lock_guard const lock(shards_mutex);
  return thread_count;
}

}  // namespace commprof
