#include "request_table/request_table.hpp"

#include <bit>

namespace commprof {

void RequestTable::append(std::uint32_t index) {
  PendingRequest& entry = entries_[index - 1];
  entry.next = 0;
  Bucket& bucket = bucket_of(entry.handle);
  if (bucket.first == 0) {
    bucket.first = index;
  } else {
    PendingRequest& last = entries_[bucket.last - 1];
    // The variable now holds the new request: it no longer tells anything of the one before.
    if (last.handle == entry.handle && last.variable == entry.variable) last.variable = 0;
    last.next = index;
  }
  bucket.last = index;
}

bool RequestTable::grow() {
  std::size_t const larger = bucket_count_ == 0 ? 512 : bucket_count_ * 4;
  auto* const pages = static_cast<Bucket*>(map_pages(larger * sizeof(Bucket)));
  if (pages == nullptr) return false;
  Bucket* const old = buckets_;
  std::size_t const old_count = bucket_count_;
  buckets_ = pages;
  bucket_count_ = larger;
  shift_ = 64U - static_cast<unsigned>(std::bit_width(larger - 1));
  for (std::size_t bucket = 0; bucket < old_count; ++bucket) {
    for (std::uint32_t i = old[bucket].first; i != 0;) {
      std::uint32_t const next = entries_[i - 1].next;
      append(i);
      i = next;
    }
  }
  unmap_pages(old, old_count * sizeof(Bucket));
  return true;
}

bool RequestTable::insert(PendingRequest const& request) {
  if (size_ >= bucket_count_ && !grow() && bucket_count_ == 0) return false;
  std::uint32_t index = free_;
  if (index != 0) {
    free_ = entries_[index - 1].next;
    entries_[index - 1] = request;
  } else {
    PendingRequest* const entry = entries_.append();
    if (entry == nullptr) return false;
    *entry = request;
    index = static_cast<std::uint32_t>(entries_.size());
  }
  append(index);
  ++size_;
  return true;
}

RequestTable::Place RequestTable::locate(std::uint64_t handle, std::uint64_t variable) {
  Place oldest;
  if (bucket_count_ == 0) return oldest;
  int looks = 0;
  std::uint32_t before = 0;
  for (std::uint32_t* link = &bucket_of(handle).first; *link != 0;) {
    PendingRequest& entry = entries_[*link - 1];
    if (entry.handle == handle) {
      if (entry.variable == variable) return {link, before};
      if (oldest.link == nullptr) oldest = {link, before};
      if (++looks == max_looks) break;
    }
    before = *link;
    link = &entry.next;
  }
  return oldest;
}

PendingRequest* RequestTable::find(std::uint64_t handle, std::uint64_t variable) {
  Place const place = locate(handle, variable);
  return place.link == nullptr ? nullptr : &entries_[*place.link - 1];
}

bool RequestTable::remove(std::uint64_t handle, std::uint64_t variable, PendingRequest& removed) {
  Place const place = locate(handle, variable);
  if (place.link == nullptr) return false;
  std::uint32_t const index = *place.link;
  PendingRequest& entry = entries_[index - 1];
  removed = entry;
  Bucket& bucket = bucket_of(handle);
  *place.link = entry.next;
  if (bucket.last == index) bucket.last = place.before;
  entry.next = free_;
  free_ = index;
  --size_;
  return true;
}

}  // namespace commprof
