#include "wrappers/call.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <new>

#include "base/memory.hpp"
#include "base/object_range.hpp"
#include "counters/counters.hpp"
#include "sites/sites.hpp"

namespace commprof::call_memory {

CallMemory* take_another(void const* frame, std::size_t bytes) {
  Shard* const shard = Shards::mine();
  if (shard == nullptr) return nullptr;
  CallMemory** last = &shard->call_memory;
  for (CallMemory* one = *last; one != nullptr; last = &one->next, one = *last) {
    bool const is_free = one->frame == nullptr || one->frame == frame;
    if (!is_free || one->bytes < bytes) continue;
    one->frame = frame;
    return one;
  }
  constexpr std::size_t least_bytes = 4096;
  std::size_t const size = std::bit_ceil(std::max(bytes + sizeof(CallMemory), least_bytes));
  void* const pages = map_pages(size);
  if (pages == nullptr) return nullptr;
  *last = new (pages) CallMemory{.frame = frame, .bytes = size - sizeof(CallMemory)};
  return *last;
}

void release(void const* frame) {
  Shard const* const shard = this_thread.shard;
  for (CallMemory* one = shard == nullptr ? nullptr : shard->call_memory; one != nullptr; one = one->next)
    if (one->frame == frame) one->frame = nullptr;
}

std::size_t read_if_there(void* to, void const* from, std::size_t bytes) {
  constexpr std::uintptr_t page = PIPE_BUF;  // no page is smaller
  int const errno_of_program = errno;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return 0;
  std::size_t done = 0;
  for (ssize_t n = 1; done < bytes && n > 0; done += n > 0 ? static_cast<std::size_t>(n) : 0) {
    char const* const next = static_cast<char const*>(from) + done;
    n = write(ends[1], next, std::min(bytes - done, page - reinterpret_cast<std::uintptr_t>(next) % page));
    if (n > 0) n = read(ends[0], static_cast<char*>(to) + done, static_cast<std::size_t>(n));
  }
  for (int const end : ends) close(end);
  errno = errno_of_program;
  return done;
}

}  // namespace commprof::call_memory

namespace commprof::call_stack {

namespace {

// The program, without its libraries.
ObjectRange const& program() {
  static ObjectRange const known = ObjectRange::program();
  return known;
}

class Callers {
 public:
  // Collects return addresses, from `first` on outwards.
  void find(void const* first) {
    first_ = first;
    _Unwind_Backtrace([](_Unwind_Context* context, void* self) { return static_cast<Callers*>(self)->step(context); },
                      this);
  }
  void const* const* addresses() const { return addresses_; }
  std::size_t count() const { return count_; }

 private:
  static constexpr std::size_t most = max_stack + 1;

  _Unwind_Reason_Code step(_Unwind_Context* context) {
    auto const* const address = reinterpret_cast<void const*>(_Unwind_GetIP(context));
    if (address == nullptr) return _URC_END_OF_STACK;
    if (count_ == 0 && address != first_) return _URC_NO_REASON;  // of the profiler
    addresses_[count_++] = address;
    bool const is_last = count_ == state.options.stack + 1 || count_ == most || program().contains(address);
    return is_last ? _URC_END_OF_STACK : _URC_NO_REASON;
  }

  void const* first_ = nullptr;
  void const* addresses_[most]{};
  std::size_t count_ = 0;
};

}  // namespace

void const* site_of_call(void const* return_address) {
  void const* const said = this_thread.binding_site;
  std::uint32_t const stack = state.options.stack;
  this_thread.binding_site = stack > 0 ? &callers_wanted : nullptr;
  // Only the MPI's own libraries build a binding on another one. Else the binding's call was left before it got here.
  bool const is_of_binding = said != &callers_wanted && nesting::is_in_mpi(return_address);
  void const* const site = is_of_binding ? said : return_address;
  if (stack == 0 || program().contains(site)) return site;
  if (SiteIndex const line = python::site_of_call(stack == python::line_alone ? 1 : stack); line != SiteIndex::none)
    return Sites::address_of(line);
  if (stack == python::line_alone) return site;
  Callers callers;
  callers.find(site);
  if (callers.count() < 2) return site;
  SiteIndex const known = sites::table.site_of(callers.addresses(), callers.count());
  return known == SiteIndex::none ? site : Sites::address_of(known);
}

}  // namespace commprof::call_stack
