#include <unwind.h>

#include <atomic>
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
#include "wrappers/call.hpp"

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

std::uintptr_t word_at(std::uintptr_t address) { return *reinterpret_cast<std::uintptr_t const*>(address); }

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
  if (read_at<std::uint16_t>(return_address - 6) == call_of_slot) return word_at(relative(return_address));
  if (read_at<std::uint8_t>(return_address - 5) != 0xe8) return 0;
  std::uintptr_t entry = relative(return_address);
  if (read_at<std::uint32_t>(entry) == endbr64) entry += sizeof endbr64;
  if (read_at<std::uint8_t>(entry) == 0xf2) ++entry;  // bnd
  return read_at<std::uint16_t>(entry) == jump_to_slot ? word_at(relative(entry + 6)) : 0;
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

// Where a call instruction has stored its return address, seen from the canonical frame address of the function called.
std::uintptr_t return_slot(std::uintptr_t frame) { return frame - sizeof(void*); }

// The return addresses on the stack from a nested call to the outermost one. Unwinding has proved once that they lead
// there. If all of them stand where they stood, they still do: the first belongs to the nested call itself, and the
// distance from each to the next depends on the place of the call alone. So each comparison reads a live frame.
struct Chain {
  static constexpr std::size_t most = 60;

  std::uintptr_t outermost = 0;
  std::uintptr_t frame = 0;     // of the nested call
  std::uint32_t count = 0;      // 0: the chain is not known
  std::uint32_t offsets[most];  // distance of each return address's place from the first one's
  std::uintptr_t addresses[most];

  void begin(std::uintptr_t from, std::uintptr_t to) {
    outermost = to;
    frame = from;
    count = 0;
  }
  // False if the chain is too long, or if return addresses lie elsewhere on this machine.
  bool add(std::uintptr_t slot, std::uintptr_t address) {
    std::uintptr_t const offset = slot - return_slot(frame);
    if (count == most || offset > UINT32_MAX || word_at(slot) != address) return false;
    offsets[count] = static_cast<std::uint32_t>(offset);
    addresses[count++] = address;
    return true;
  }
  bool leads(std::uintptr_t from, std::uintptr_t to) const {
    if (count == 0 || frame != from || outermost != to) return false;
    for (std::uint32_t i = 0; i < count; ++i)
      if (word_at(return_slot(frame) + offsets[i]) != addresses[i]) return false;
    return true;
  }
};

}  // namespace

// The chains that a thread has proved lately.
struct Chains {
  static constexpr unsigned bits = 3;
  Chain known[std::size_t{1} << bits];

  Chain& at(std::uintptr_t frame, std::uintptr_t caller) {
    return known[((frame ^ caller) * 0x9E3779B97F4A7C15ULL) >> (64 - bits)];
  }

  // The calling thread's; nullptr when memory is used up.
  static Chains* mine() {
    Shard* const shard = Shards::mine();
    if (shard == nullptr) return nullptr;
    if (shard->chains == nullptr)
      if (void* const pages = map_pages(sizeof(Chains))) shard->chains = new (pages) Chains;
    return shard->chains;
  }
};

namespace {

// Unwinds the stack of the current call.
class WayUp {
 public:
  enum class End {
    at_wrapper,   // the wrapper is on the stack
    beyond_it,    // other functions are where it was: its call was left
    before_it,    // the stack ends before the frame: the wrapper belongs to another fiber
    in_the_dark,  // code that is in no module has no unwind tables: that of a just-in-time compiler (Julia, Numba)
  };

  // frame: of the current call's wrapper. chain: nullptr, or becomes what leads to the wrapper with the outermost
  // frame.
  [[gnu::noinline]] End lead_to(void const* outermost, void const* frame, Chain* chain) {
    wanted_ = number_of(outermost);
    first_ = number_of(frame);
    chain_ = chain;
    if (chain_ != nullptr) chain_->begin(first_, wanted_);
    _Unwind_Backtrace([](_Unwind_Context* context, void* way) { return static_cast<WayUp*>(way)->step(context); },
                      this);
    if (has_reached_ && is_there_) return End::at_wrapper;
    if (chain != nullptr) chain->count = 0;
    if (has_reached_) return End::beyond_it;
    return at_ != 0 && ObjectRange::at(at_).path == nullptr ? End::in_the_dark : End::before_it;
  }

 private:
  _Unwind_Reason_Code step(_Unwind_Context* context) {
    // The stack pointer of this function at its call: the canonical frame address of the function visited before.
    std::uintptr_t const stack = _Unwind_GetCFA(context);
    has_reached_ = stack >= wanted_;
    // If the wrapper was left, another function may have a frame at the same address.
    is_there_ = stack == wanted_ && is_ours(at_);
    at_ = _Unwind_GetIP(context);
    if (has_reached_) return _URC_END_OF_STACK;
    if (chain_ != nullptr && stack >= first_ && !chain_->add(return_slot(stack), at_)) {
      chain_->count = 0;
      chain_ = nullptr;
    }
    return _URC_NO_REASON;
  }

  std::uintptr_t wanted_ = 0;
  std::uintptr_t first_ = 0;
  std::uintptr_t at_ = 0;  // the instruction pointer in the function visited last
  Chain* chain_ = nullptr;
  bool has_reached_ = false;
  bool is_there_ = false;
};

// Finds the wrapper of the failed call in an error handler: the profiler's functions that the program has called and
// that have called the MPI.
class WayToFailedCall {
 public:
  [[gnu::noinline]] WayToFailedCall() {
    _Unwind_Backtrace(
        [](_Unwind_Context* context, void* way) { return static_cast<WayToFailedCall*>(way)->step(context); }, this);
  }
  // The frames of the first and the last of these functions; nullptr if there are none.
  void const* from() const { return from_; }
  void const* to() const { return to_; }

 private:
  _Unwind_Reason_Code step(_Unwind_Context* context) {
    auto const* const frame = reinterpret_cast<void const*>(_Unwind_GetCFA(context));
    if (is_ours_) to_ = frame;
    if (is_ours_ && is_next_to_mpi_) {
      from_ = frame;
      is_next_to_mpi_ = false;
    }
    std::uintptr_t const address = _Unwind_GetIP(context);
    is_ours_ = is_ours(address);
    if (is_ours_) return _URC_NO_REASON;
    is_next_to_mpi_ = is_in_mpi(reinterpret_cast<void const*>(address));
    return is_next_to_mpi_ ? _URC_NO_REASON : _URC_END_OF_STACK;
  }

  void const* from_ = nullptr;
  void const* to_ = nullptr;
  bool is_next_to_mpi_ = false;  // the function visited last is the MPI's, or only the profiler's follow it
  bool is_ours_ = false;         // the function visited last is the profiler's
};

// Whether the outermost call's return address is where the call has put it. If not, the function that made that call
// has made another one since.
bool has_return_address(void const* outermost) {
#ifdef __x86_64__
  std::uintptr_t found = 0;
  auto const* const slot = reinterpret_cast<void const*>(return_slot(number_of(outermost)));
  return call_memory::read_if_there(&found, slot, sizeof found) == sizeof found &&
         found == number_of(this_thread.outermost_return);
#else
  return true;
#endif
}

// A stack on which MPI is called goes on below the wrapper's frame by more than this. So a frame that lies above
// another one by less is on the same stack.
constexpr std::uintptr_t least_below_a_call = 4096;

}  // namespace

void keep_error(int error, int left) {
  // MPICH 5.0.2 returns MPI_SUCCESS from a failing call after a handler of the program has run, Open MPI what the
  // handler has left.
  bool const is_returned = left == error && is_open_mpi();
  if (is_returned || this_thread.outermost_call == nullptr) return;
  WayToFailedCall const way;
  if (way.from() == nullptr) return;
  this_thread.handled = {error, left, clock::now(), way.from(), way.to()};
}

int error_of(void const* frame, Ticks start, int returned) {
  HandledError const handled = this_thread.handled;
  if (frame < handled.from || frame > handled.to) return returned;
  this_thread.handled = {};
  bool const is_of_call = handled.at >= start;
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
  Chains* const chains = Chains::mine();
  Chain* const chain = chains == nullptr ? nullptr : &chains->at(from, number_of(caller));
  if (chain != nullptr && chain->leads(from, to)) return nested;
  Part const part = libraries_of_mpi.part_with(number_of(caller));
  if (part == Part::binding || (part == Part::c_library && is_own_call_of_mpi(number_of(caller)))) return Role::inner;
  switch (WayUp().lead_to(outermost, frame, chain)) {
    case WayUp::End::at_wrapper:
      return nested;
    case WayUp::End::in_the_dark:
      if (has_return_address(outermost)) return nested;
      [[fallthrough]];
    case WayUp::End::beyond_it:
      call_memory::release(outermost);
      [[fallthrough]];
    case WayUp::End::before_it:
      return Role::counted;
  }
  return Role::counted;
}

}  // namespace commprof::nesting
