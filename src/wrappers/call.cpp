#include "wrappers/call.hpp"

#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>

#include "base/memory.hpp"
#include "base/object_range.hpp"
#include "counters/counters.hpp"
#include "mpi/library_version.hpp"
#include "mpi/mpi.hpp"
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

namespace commprof::nesting {

namespace {

std::uintptr_t number_of(void const* address) { return reinterpret_cast<std::uintptr_t>(address); }

// The relation of a module to the MPI.
enum class Part : std::uint8_t {
  none,
  binding,    // a library of a language binding, which calls the C functions
  c_library,  // the library with the C functions, which calls callbacks, too
};

// A program that is linked statically with its MPI has no such library.
Part part_of(ObjectRange const& module) {
  std::string_view const path = module.path;
  if (path.empty()) return Part::none;
  if (module.contains(reinterpret_cast<void const*>(&PMPI_Send))) return Part::c_library;
  return path.substr(path.rfind('/') + 1).starts_with("libmpi") ? Part::binding : Part::none;
}

// The libraries of the MPI that have called MPI. They stay loaded.
class LibrariesOfMpi {
 public:
  Part part_with(std::uintptr_t address) {
    Part const known = part_among(address, count_.load(std::memory_order_acquire));
    return known != Part::none ? known : part_of_another(address);
  }
  // Whether both are in one known library.
  bool contain_in_one(std::uintptr_t first, std::uintptr_t second) const {
    for (std::size_t i = 0, count = count_.load(std::memory_order_acquire); i < count; ++i)
      if (first - known_[i].begin < known_[i].size) return second - known_[i].begin < known_[i].size;
    return false;
  }

 private:
  Part part_among(std::uintptr_t address, std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i)
      if (address - known_[i].begin < known_[i].size) return known_[i].part;
    return Part::none;
  }
  [[gnu::cold, gnu::noinline]] Part part_of_another(std::uintptr_t address) {
    ObjectRange const module = ObjectRange::at(address);
    Part const part = module.path == nullptr ? Part::none : part_of(module);
    if (part == Part::none) return part;
    static std::mutex mutex;
    std::lock_guard const lock(mutex);
    std::size_t const count = count_.load(std::memory_order_relaxed);
    if (count == most || part_among(address, count) != Part::none) return part;
    known_[count] = {module.begin, module.end - module.begin, part};
    count_.store(count + 1, std::memory_order_release);
    if (part == Part::binding && bytes_of_first_library.load(std::memory_order_relaxed) == 0) {
      first_library.store(module.begin, std::memory_order_relaxed);
      bytes_of_first_library.store(module.end - module.begin, std::memory_order_release);
    }
    return part;
  }

  static constexpr std::size_t most = 8;
  struct Range {
    std::uintptr_t begin;
    std::uintptr_t size;
    Part part;
  };
  Range known_[most]{};
  std::atomic<std::size_t> count_{0};
};

constinit LibrariesOfMpi libraries_of_mpi;

bool is_ours(std::uintptr_t address) {
  static ObjectRange const own = ObjectRange::at(reinterpret_cast<void const*>(&role_after_all));
  return own.contains(address);
}

// The MPI may be linked into the program, where its calls cannot be told from those of callbacks.
bool is_mpi_in_program() {
  static bool const is_it = [] {
    ObjectRange const module = ObjectRange::at(reinterpret_cast<void const*>(&PMPI_Send));
    return module.path != nullptr && module.path[0] == '\0';
  }();
  return is_it;
}

#ifdef __x86_64__
template <class T>
T read_at(std::uintptr_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<void const*>(address), sizeof value);
  return value;
}

// The symbol of another library that the call instruction before a return address has called: through the entry of a
// jump table (call; jmp *slot(%rip)), or itself through a slot (call *slot(%rip)). 0: it has called something else.
std::uintptr_t symbol_called(std::uintptr_t return_address) {
  constexpr std::uint16_t call_of_slot = 0x15ff, jump_to_slot = 0x25ff;
  constexpr std::uint32_t endbr64 = 0xfa1e0ff3;
  auto const relative = [](std::uintptr_t end) {
    return end + static_cast<std::uintptr_t>(std::int64_t{read_at<std::int32_t>(end - sizeof(std::int32_t))});
  };
  if (read_at<std::uint16_t>(return_address - 6) == call_of_slot)
    return read_at<std::uintptr_t>(relative(return_address));
  if (read_at<std::uint8_t>(return_address - 5) != 0xe8) return 0;
  std::uintptr_t entry = relative(return_address);
  if (read_at<std::uint32_t>(entry) == endbr64) entry += sizeof endbr64;
  if (read_at<std::uint8_t>(entry) == 0xf2) ++entry;  // bnd
  return read_at<std::uint16_t>(entry) == jump_to_slot ? read_at<std::uintptr_t>(relative(entry + 6)) : 0;
}

// Whether a call from the MPI's C library is one of its own, and not of a callback that ends with it and so has jumped
// there. The MPI calls functions of MPI by their symbols, which lead to the profiler, and callbacks by pointers.
bool is_own_call_of_mpi(std::uintptr_t return_address) {
  std::uintptr_t const symbol = symbol_called(return_address);
  return symbol != 0 && !libraries_of_mpi.contain_in_one(return_address, symbol);
}
#else
bool is_own_call_of_mpi(std::uintptr_t) { return true; }
#endif

// Unwinds the stack of the current call.
class WayUp {
 public:
  enum class End {
    at_wrapper,  // the wrapper is on the stack
    beyond_it,   // other functions are where it was: its call was left
    before_it,   // the stack ends before the frame: the wrapper belongs to another fiber, or there are no unwind tables
  };

  [[gnu::noinline]] End lead_to(void const* outermost) {
    wanted_ = number_of(outermost);
    _Unwind_Backtrace([](_Unwind_Context* context, void* way) { return static_cast<WayUp*>(way)->step(context); },
                      this);
    return !has_reached_ ? End::before_it : is_there_ ? End::at_wrapper : End::beyond_it;
  }

 private:
  _Unwind_Reason_Code step(_Unwind_Context* context) {
    // The stack pointer of this function at its call: the canonical frame address of the function visited before.
    std::uintptr_t const stack = _Unwind_GetCFA(context);
    has_reached_ = stack >= wanted_;
    // If the wrapper was left, another function may have a frame at the same address.
    is_there_ = stack == wanted_ && is_ours(at_);
    at_ = _Unwind_GetIP(context);
    return has_reached_ ? _URC_END_OF_STACK : _URC_NO_REASON;
  }

  std::uintptr_t wanted_ = 0;
  std::uintptr_t at_ = 0;  // the instruction pointer in the function visited last
  bool has_reached_ = false;
  bool is_there_ = false;
};

// A stack on which MPI is called goes on below the wrapper's frame by more than this. So a frame that lies above
// another one by less is on the same stack.
constexpr std::uintptr_t least_below_a_call = 4096;

}  // namespace

void keep_error(int error, int left) {
  if (this_thread.outermost_call != nullptr) this_thread.handled = {error, left, clock::now()};
}

int error_of(bool is_outermost, Ticks start, int returned) {
  HandledError const handled = this_thread.handled;
  bool const is_of_call = handled.at >= start;
  if (is_of_call || is_outermost) this_thread.handled = {};
  return is_of_call && (returned == MPI_SUCCESS || returned == handled.left) ? handled.code : returned;
}

bool is_in_mpi(void const* address) { return libraries_of_mpi.part_with(number_of(address)) != Part::none; }

// The stack grows down: the frame of a nested call has a lower address.
Role role_after_all(void const* outermost, void const* frame, void const* caller) {
  std::uintptr_t const from = number_of(frame), to = number_of(outermost);
  if (from >= to) {
    if (from - to <= least_below_a_call) call_memory::release(outermost);
    return Role::counted;
  }
  Role const nested = is_mpi_in_program() ? Role::inner : Role::kept;
  Part const part = libraries_of_mpi.part_with(number_of(caller));
  if (part == Part::binding || (part == Part::c_library && is_own_call_of_mpi(number_of(caller)))) return Role::inner;
  WayUp::End const end = WayUp().lead_to(outermost);
  if (end == WayUp::End::at_wrapper) return nested;
  if (end == WayUp::End::beyond_it) call_memory::release(outermost);
  return Role::counted;
}

}  // namespace commprof::nesting
