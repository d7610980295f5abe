// Counts the calls of a process. Here is what every wrapper reads: whether and in which region calls count, and which
// calls are left out. Other folders include only this header.
#pragma once

#include <atomic>
#include <mutex>
#include <string_view>

#include "base/ids.hpp"
#include "base/process.hpp"
#include "counters/caches.hpp"
#include "counters/records.hpp"
#include "counters/regions.hpp"
#include "counters/shards.hpp"
#include "options/options.hpp"
#include "options/selection.hpp"

namespace commprof {

// The state of the process, which every wrapper reads.
class State {
 public:
  std::atomic<bool> tracking{false};  // between MPI_Init and MPI_Finalize of a process that is to be profiled
  std::atomic<bool> threaded{false};  // several threads may call MPI at once
  Options options{};

  bool is_tracking() const { return tracking.load(std::memory_order_relaxed); }
  // May become true while the program is running (run::session_opened), and stays so.
  bool is_threaded() const { return threaded.load(std::memory_order_relaxed); }

  // In a pause nothing is counted, but creations and requests are tracked. Callers of pause(), resume() and enter()
  // serialise.
  bool is_counting() const { return base_of_details() != paused; }
  void pause() { base_.store(paused, std::memory_order_relaxed); }
  void resume() {
    ScopeIndex const scope = scope_.load(std::memory_order_relaxed);
    base_.store(RecordKey::detail_of(scope, Op{}, SizeBin{}), std::memory_order_relaxed);
  }

  ScopeIndex scope_of_region() const { return scope_.load(std::memory_order_relaxed); }
  // scope: that of the region that is entered.
  void enter(ScopeIndex scope) {
    scope_.store(scope, std::memory_order_relaxed);
    if (is_counting()) resume();
  }

  // The detail of a call's key, without the site of the call; RecordKey::of_nothing in a pause.
  std::uint32_t detail_of(Op op, SizeBin bin) const {
    return base_of_details() | RecordKey::detail_of(ScopeIndex::main, op, bin);
  }

  // A number that combines the site, the current region and the pause. User-space addresses have at most 48 bits.
  std::uint64_t place_of(void const* site) const { return place_of(site, base_of_details()); }
  // The place where the thread's current call counts, and the detail of its key without operation and size. Both come
  // from one load, so they agree even if another thread changes the region.
  struct Here {
    std::uint64_t place;
    std::uint32_t base;
  };
  [[gnu::always_inline]] Here here() const {
    std::uint32_t const base = base_of_details();
    std::uint64_t const place = place_of(this_thread.site, base);
    PlaceCaches const* const caches = this_thread.valid_caches();
    std::uint32_t const* const known = caches == nullptr ? nullptr : caches->scopes.find(place);
    return {place, known != nullptr ? *known : base_anew(place, base)};
  }
  [[gnu::always_inline]] std::uint32_t detail_of_call(Op op, SizeBin bin) const {
    return here().base | RecordKey::detail_of(ScopeIndex::main, op, bin);
  }

 private:
  static std::uint64_t place_of(void const* site, std::uint32_t base) {
    return reinterpret_cast<std::uintptr_t>(site) ^ static_cast<std::uint64_t>(base) << 32;
  }
  static constexpr std::uint32_t paused = RecordKey::of_nothing;
  std::uint32_t base_of_details() const { return base_.load(std::memory_order_relaxed); }

  // Looks the scope up and caches it. base: the detail without site.
  std::uint32_t base_anew(std::uint64_t place, std::uint32_t base) const;

  std::atomic<std::uint32_t> base_{RecordKey::detail_of(ScopeIndex::main, Op{}, SizeBin{})};
  std::atomic<ScopeIndex> scope_{ScopeIndex::main};  // of the region
};

inline State state;

// A lock that is taken only if several threads may call MPI at once.
class Guard {
 public:
  explicit Guard(std::mutex& mutex) : mutex_(state.is_threaded() ? &mutex : nullptr) {
    if (mutex_ != nullptr) mutex_->lock();
  }
  Guard(Guard const&) = delete;
  Guard& operator=(Guard const&) = delete;
  ~Guard() {
    if (mutex_ != nullptr) mutex_->unlock();
  }

 private:
  std::mutex* mutex_;
};

// The calls that are left out: operations by COMMPROF_OPS, communicators by COMMPROF_COMMS.
//
// A call that is left out takes the same fast path as others, and adds to a record that no profile shows. So a call
// that the CallCache knows costs no check here.
class LeftOut {
 public:
  // Whether a communicator is left out. A callback, since this folder does not know names and sizes.
  using OfComm = bool (*)(CommIndex comm);

  // Must be called before the first call counts. The lists are options; of_comm is called if `comms` excludes any
  // communicator.
  void begin(std::string_view ops, std::string_view comms, OfComm of_comm);

  bool is_any() const { return is_any_; }
  [[gnu::always_inline]] bool has(CommIndex comm, Op op) const { return is_any_ && look_up(comm, op); }

 private:
  bool look_up(CommIndex comm, Op op) const;

  bool is_any_ = false;
  OfComm of_comm_ = nullptr;  // nullptr: no communicator is left out
  selection::OperationSet ops_{};
};

inline constinit LeftOut left_out;

// The place where the thread's current call counts: see State::here(). The scope of an excluded call is no_scope.
[[gnu::always_inline]] inline State::Here here(CommIndex comm, Op op) {
  if (left_out.has(comm, op)) [[unlikely]]
    return {state.place_of(this_thread.site), RecordKey::detail_of(no_scope, Op{}, SizeBin{})};
  return state.here();
}
// The key, without size, of a request that the current call begins.
inline RecordKey key_of_begun(CommIndex comm, Op op) {
  return RecordKey::of(comm, here(comm, op).base | RecordKey::kind_of(op, SizeBin{}));
}

// Keeps in the spool what the system has counted for the process, so that the profile of a killed job has it. Events
// that are rare, but come again and again, refresh it: a collective call at an instant, a region that begins, a
// snapshot, MPI_Abort. Other calls pay nothing.
namespace use_so_far {

void begin();
// The use since begin(). with_limits: also throttled_ns and stolen_ns, which read_limits() needs long for.
ProcessorUse now(bool with_limits);
// Refreshes what the spool has if it is older than a second or a twentieth of the run, in at most one in 500 parts of
// the time. Any thread may call it.
void refresh();
// Refreshes it in any case.
void keep();

}  // namespace use_so_far
}  // namespace commprof
