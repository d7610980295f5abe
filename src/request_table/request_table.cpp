#include "request_table/request_table.hpp"

#include <bit>

namespace commprof {

void RequestTable::link(std::uint32_t index) {
  PendingRequest& added = entry(index);
  Bucket& bucket = handle_bucket(added.handle);
  added.by_handle = {0, bucket.last};
  (bucket.last == 0 ? bucket.first : entry(bucket.last).by_handle.next) = index;
  bucket.last = index;

  added.by_variable = {};
  if (added.variable == 0) return;
  std::uint32_t& first = variable_bucket(added.variable);
  added.by_variable.next = first;
  if (first != 0) entry(first).by_variable.previous = index;
  first = index;
}

void RequestTable::unlink_handle(std::uint32_t index) {
  auto const [next, previous] = entry(index).by_handle;
  Bucket& bucket = handle_bucket(entry(index).handle);
  (previous == 0 ? bucket.first : entry(previous).by_handle.next) = next;
  (next == 0 ? bucket.last : entry(next).by_handle.previous) = previous;
}

void RequestTable::unlink_variable(std::uint32_t index) {
  PendingRequest& removed = entry(index);
  if (removed.variable == 0) return;
  auto const [next, previous] = removed.by_variable;
  (previous == 0 ? variable_bucket(removed.variable) : entry(previous).by_variable.next) = next;
  if (next != 0) entry(next).by_variable.previous = previous;
  removed.variable = 0;
}

bool RequestTable::grow() {
  std::size_t const larger = bucket_count_ == 0 ? 512 : bucket_count_ * 4;
  auto* const handles = static_cast<Bucket*>(map_pages(larger * sizeof(Bucket)));
  auto* const variables = static_cast<std::uint32_t*>(map_pages(larger * sizeof(std::uint32_t)));
  if (handles == nullptr || variables == nullptr) {
    unmap_pages(handles, larger * sizeof(Bucket));
    unmap_pages(variables, larger * sizeof(std::uint32_t));
    return false;
  }
  Bucket* const old = handles_;
  std::size_t const old_count = bucket_count_;
  unmap_pages(variables_, old_count * sizeof(std::uint32_t));
  handles_ = handles;
  variables_ = variables;
  bucket_count_ = larger;
  shift_ = 64U - static_cast<unsigned>(std::bit_width(larger - 1));
  for (std::size_t bucket = 0; bucket < old_count; ++bucket) {
    for (std::uint32_t i = old[bucket].first; i != 0;) {
      std::uint32_t const next = entry(i).by_handle.next;
      link(i);
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
    free_ = entry(index).by_handle.next;
  } else {
    if (entries_.append() == nullptr) return false;
    index = static_cast<std::uint32_t>(entries_.size());
  }
  // The variable no longer tells anything of the request that was stored there before.
  if (std::uint32_t const before = in_variable(request.variable); before != 0) unlink_variable(before);
  entry(index) = request;
  link(index);
  ++size_;
  return true;
}

std::uint32_t RequestTable::in_variable(std::uint64_t variable) {
  if (variable == 0) return 0;
  std::uint32_t index = variable_bucket(variable);
  while (index != 0 && entry(index).variable != variable) index = entry(index).by_variable.next;
  return index;
}

std::uint32_t RequestTable::locate(std::uint64_t handle, std::uint64_t variable) {
  if (bucket_count_ == 0) return 0;
  if (std::uint32_t const stored = in_variable(variable); stored != 0 && entry(stored).handle == handle) return stored;
  std::uint32_t index = handle_bucket(handle).first;
  while (index != 0 && entry(index).handle != handle) index = entry(index).by_handle.next;
  return index;
}

PendingRequest* RequestTable::find(std::uint64_t handle, std::uint64_t variable) {
  std::uint32_t const index = locate(handle, variable);
  return index == 0 ? nullptr : &entry(index);
}

bool RequestTable::remove(std::uint64_t handle, std::uint64_t variable, PendingRequest& removed) {
  std::uint32_t const index = locate(handle, variable);
  if (index == 0) return false;
  removed = entry(index);
  unlink_handle(index);
  unlink_variable(index);
  entry(index).by_handle.next = free_;
  free_ = index;
  --size_;
  return true;
}

}  // namespace commprof
