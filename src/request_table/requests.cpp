#include "request_table/requests.hpp"

#include <sched.h>

#include <ctime>
#include <new>

#include "base/memory.hpp"

namespace commprof::requests {

constinit ThreadRequests of_process{};
constinit std::atomic<ThreadRequests*> of_threads[most_tables];

// The holder needs some hundred instructions, more only if its table grows or is copied, or while the system has
// suspended it: a thread with a higher priority has to sleep then.
void SpinLock::lock() {
  constexpr int most_spins = 100, most_yields = 200;
  constexpr timespec nap{0, 50'000};
  while (!try_lock()) {
    for (int spins = 0; locked_.load(std::memory_order_relaxed); ++spins)
      if (spins >= most_yields) nanosleep(&nap, nullptr);
      else if (spins >= most_spins) sched_yield();
  }
}

namespace {

// nullptr when memory is used up.
ThreadRequests* table_with(std::uint32_t number) {
  static std::mutex mutex;
  std::lock_guard const lock(mutex);
  if (ThreadRequests* const known = of_threads[number].load(std::memory_order_relaxed)) return known;
  void* const pages = map_pages(sizeof(ThreadRequests));
  if (pages == nullptr) return nullptr;
  auto* const made = new (pages) ThreadRequests;
  made->table.keep_in_spool(number + 1);
  of_threads[number].store(made, std::memory_order_release);
  return made;
}

// The calling thread's table; nullptr when memory is used up.
ThreadRequests* mine() {
  Shard* const shard = Shards::mine();
  if (shard == nullptr) return nullptr;
  if (this_thread.requests == nullptr) this_thread.requests = shard->requests = table_with(shard->number % most_tables);
  return this_thread.requests;
}

}  // namespace

void begin_keys(bool threaded) {
  keys::null_in_fortran = PMPI_Request_c2f(MPI_REQUEST_NULL);
  keys::are_integers = !std::is_integral_v<MPI_Request> && !threaded;
}

void use_handles() {
  keys::are_integers = false;
  of_process.table.replace_handles([](std::uint64_t key) {
    return are_of_integer(key) ? handle_bits(PMPI_Request_f2c(integer_of_bits(key))) : key;
  });
}

void begin_threads() {
  if (keys_are_integers()) use_handles();
  state.threaded = true;
}

bool insert_among_threads(std::uint64_t handle, std::uint64_t variable, Ticks issue_time, std::uint64_t sent,
                          std::uint64_t received, std::uint64_t packed_key, std::uint32_t traits, std::uint32_t link,
                          Ticks since) {
  ThreadRequests* const own = mine();
  if (own == nullptr) return false;
  std::lock_guard const lock(own->lock);
  return own->table.insert(handle, variable,
                           {.issue_time = issue_time,
                            .known = {sent, received},
                            .key = {packed_key},
                            .traits = traits,
                            .link = link,
                            .since = since});
}

// Leaves the table locked if it finds the entry.
bool LockedRequest::find_in(ThreadRequests& place, std::uint64_t handle, std::uint64_t variable, bool exactly) {
  place.lock.lock();
  entry_ = exactly ? place.table.exact(handle, variable) : place.table.oldest(handle);
  if (entry_ != nullptr) holder_ = &place;
  else place.lock.unlock();
  return entry_ != nullptr;
}

// An exact match in any table comes before the oldest entry of the handle. Either is looked for in the calling thread's
// table first, and then where another thread's request was found last: a thread often completes several of one thread.
void LockedRequest::search(std::uint64_t handle, std::uint64_t variable) {
  static std::atomic<std::size_t> last{0};
  ThreadRequests* const own = this_thread.requests;
  std::size_t const first = last.load(std::memory_order_relaxed);
  for (bool const exactly : {true, false}) {
    if (own != nullptr && find_in(*own, handle, variable, exactly)) return;
    for (std::size_t i = 0; i < most_tables; ++i) {
      std::size_t const number = (first + i) % most_tables;
      ThreadRequests* const place = of_threads[number].load(std::memory_order_acquire);
      if (place == nullptr || place == own || !find_in(*place, handle, variable, exactly)) continue;
      if (number != first) last.store(number, std::memory_order_relaxed);
      return;
    }
    if (find_in(of_process, handle, variable, exactly)) return;
  }
}

}  // namespace commprof::requests
