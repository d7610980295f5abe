#include "wrappers/call_memory.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <new>

#include "base/memory.hpp"

namespace commprof::call_memory {

namespace {

constexpr std::size_t least_bytes = 4096;

void settle_one(CallMemory& left) {
  if (left.settle != nullptr) left.settle(left);
  left.frame = nullptr;
}

}  // namespace

CallMemory* take_another(void const* frame, std::size_t bytes) {
  Shard* const shard = Shards::mine();
  if (shard == nullptr) return nullptr;
  CallMemory** last = &shard->call_memory;
  for (CallMemory* one = *last; one != nullptr; last = &one->next, one = *last) {
    if (one->frame == frame) settle_one(*one);
    if (one->frame != nullptr || one->bytes < bytes) continue;
    one->frame = frame;
    return one;
  }
  std::size_t const size = std::bit_ceil(std::max(bytes + sizeof(CallMemory), least_bytes));
  void* const pages = map_pages(size);
  if (pages == nullptr) return nullptr;
  *last = new (pages) CallMemory{.frame = frame, .bytes = size - sizeof(CallMemory)};
  return *last;
}

void settle(void const* frame) {
  Shard const* const shard = this_thread.shard;
  for (CallMemory* one = shard == nullptr ? nullptr : shard->call_memory; one != nullptr; one = one->next)
    if (one->frame == frame) settle_one(*one);
}

bool copy_if_there(void* to, void const* from, std::size_t bytes) {
  int const errno_of_program = errno;
  iovec const own{to, bytes}, there{const_cast<void*>(from), bytes};
  bool const done = process_vm_readv(getpid(), &own, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
  errno = errno_of_program;
  return done;
}

}  // namespace commprof::call_memory
