#include "request_table/requests.hpp"

#include <algorithm>
#include <iterator>
#include <new>

#include "base/memory.hpp"

namespace commprof::requests {

constinit ThreadRequests of_process{.lock = BiasedLock(BiasedLock::WithoutOwner{}),
                                    .table = {},
                                    .next = nullptr,
                                    .next_to_search = nullptr,
                                    .passes = 0,
                                    .has_moved_out = false};

namespace {

constexpr std::size_t most_to_search = 32;
constexpr std::uint32_t most_passes = 16;

std::atomic<ThreadRequests*> all_threads{nullptr};

// The tables of threads that have not moved out. Changes serialise; searches run beside them.
std::mutex search_mutex;
std::atomic<ThreadRequests*> first_to_search{nullptr};

void begin_search(ThreadRequests& requests) {
  std::lock_guard const lock(search_mutex);
  requests.next_to_search.store(first_to_search.load(std::memory_order_relaxed), std::memory_order_relaxed);
  first_to_search.store(&requests, std::memory_order_release);
}

// A search that is at the table goes on from there.
void end_search(ThreadRequests const& requests) {
  std::lock_guard const lock(search_mutex);
  std::atomic<ThreadRequests*>* link = &first_to_search;
  while (link->load(std::memory_order_relaxed) != &requests)
    link = &link->load(std::memory_order_relaxed)->next_to_search;
  link->store(requests.next_to_search.load(std::memory_order_relaxed), std::memory_order_release);
}

void show_to_all(ThreadRequests& requests) {
  requests.next = all_threads.load(std::memory_order_relaxed);
  while (!all_threads.compare_exchange_weak(requests.next, &requests, std::memory_order_release,
                                            std::memory_order_relaxed)) {
  }
}

ThreadRequests* make_for(Shard& shard) {
  void* const pages = map_pages(sizeof(ThreadRequests));
  if (pages == nullptr) return nullptr;
  auto* const made = new (pages) ThreadRequests;
  made->table.keep_in_spool(shard.number + 1);
  shard.requests = this_thread.requests = made;
  show_to_all(*made);
  begin_search(*made);
  return made;
}

// The calling thread's table; nullptr when memory is used up.
ThreadRequests* mine() {
  Shard* const shard = Shards::mine();
  if (shard == nullptr) return nullptr;
  return this_thread.requests != nullptr ? this_thread.requests : make_for(*shard);
}

std::mutex common_mutex;
std::atomic<ThreadRequests*> common[32];

std::size_t common_number(std::uint64_t handle) {
  return handle * 0x9E3779B97F4A7C15ULL >> 32 & (std::size(common) - 1);
}

// nullptr when memory is used up.
ThreadRequests* common_of(std::uint64_t handle) {
  std::size_t const number = common_number(handle);
  if (ThreadRequests* const known = common[number].load(std::memory_order_acquire)) [[likely]]
    return known;
  std::lock_guard const lock(common_mutex);
  if (ThreadRequests* const known = common[number].load(std::memory_order_relaxed)) return known;
  void* const pages = map_pages(sizeof(ThreadRequests));
  if (pages == nullptr) return nullptr;
  auto* const made = new (pages) ThreadRequests;
  made->lock.open_to_all();
  made->table.keep_in_spool(UINT32_MAX - static_cast<std::uint32_t>(number));  // no shard has this number
  show_to_all(*made);
  common[number].store(made, std::memory_order_release);
  return made;
}

bool insert_in_common(std::uint64_t handle, std::uint64_t variable, IssuedRequest const& request) {
  ThreadRequests* const place = common_of(handle);
  if (place == nullptr) return false;
  place->lock.lock_other();
  bool const done = place->table.insert(handle, variable, request);
  place->lock.unlock_other();
  return done;
}

// Moves the requests of a thread's table, whose lock is held, to the common tables. Without memory, the rest stays.
void move_out(ThreadRequests& from) {
  if (from.has_moved_out.load(std::memory_order_relaxed)) return;
  PageVector<PendingRequest> entries;
  bool done = true;
  from.table.for_each([&](PendingRequest const& entry) { done = done && entries.push_back(entry); });
  if (!done) return;
  std::sort(entries.begin(), entries.end(),
            [](PendingRequest const& a, PendingRequest const& b) { return a.since < b.since; });
  for (PendingRequest const& entry : entries) {
    if (!insert_in_common(entry.handle, entry.variable, entry)) return;
    PendingRequest moved;
    from.table.remove(entry.handle, entry.variable, moved);
  }
  from.has_moved_out.store(true, std::memory_order_release);
  end_search(from);
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
  BiasedLock::prepare();
  of_process.lock.open_to_all();
  show_to_all(of_process);
  begin_search(of_process);
  state.threaded = true;
}

ThreadRequests* first_of_threads() { return all_threads.load(std::memory_order_acquire); }

bool insert_among_threads(std::uint64_t handle, std::uint64_t variable, Ticks issue_time, std::uint64_t sent,
                          std::uint64_t received, std::uint64_t packed_key, std::uint32_t traits, std::uint32_t link,
                          Ticks since) {
  ThreadRequests* const own = mine();
  if (own == nullptr) [[unlikely]]
    return false;
  IssuedRequest const request{.issue_time = issue_time,
                              .known = {sent, received},
                              .key = {packed_key},
                              .traits = traits,
                              .link = link,
                              .since = since};
  if (!own->has_moved_out.load(std::memory_order_acquire)) {
    bool const as_owner = own->lock.lock_owner();
    bool const is_here = !own->has_moved_out.load(std::memory_order_relaxed);
    bool const done = is_here && own->table.insert(handle, variable, request);
    own->lock.unlock_owner(as_owner);
    if (is_here) return done;
  }
  return insert_in_common(handle, variable, request);
}

// find_here() and find_there() leave the table locked if they find the entry.
bool LockedRequest::find_here(ThreadRequests& own, std::uint64_t handle, std::uint64_t variable, bool exactly) {
  as_owner_ = own.lock.lock_owner();
  entry_ = exactly ? own.table.exact(handle, variable) : own.table.oldest(handle);
  if (entry_ == nullptr) {
    own.lock.unlock_owner(as_owner_);
    return false;
  }
  holder_ = &own;
  is_own_ = true;
  return true;
}

bool LockedRequest::find_there(ThreadRequests& other, std::uint64_t handle, std::uint64_t variable, bool exactly) {
  bool const may_be_there = exactly ? other.table.may_hold_variable(variable) : other.table.may_hold_handle(handle);
  if (!may_be_there) return false;
  other.lock.lock_other();
  entry_ = exactly ? other.table.exact(handle, variable) : other.table.oldest(handle);
  if (entry_ == nullptr) {
    other.lock.unlock_other();
    return false;
  }
  holder_ = &other;
  return true;
}

bool LockedRequest::find_in_common(std::uint64_t handle, std::uint64_t variable, bool exactly) {
  ThreadRequests* const place = common[common_number(handle)].load(std::memory_order_acquire);
  return place != nullptr && find_there(*place, handle, variable, exactly);
}

bool LockedRequest::find_among_others(ThreadRequests const* own, std::uint64_t handle, std::uint64_t variable,
                                      bool exactly) {
  std::size_t searched = 0;
  ThreadRequests* next = nullptr;
  for (ThreadRequests* other = first_to_search.load(std::memory_order_acquire); other != nullptr; other = next) {
    next = other->next_to_search.load(std::memory_order_acquire);
    if (other == own) continue;
    bool const is_found = find_there(*other, handle, variable, exactly);
    bool const is_one_too_many = ++searched > most_to_search && other != &of_process;
    if (!is_one_too_many) {
      if (is_found) return true;
    } else if (is_found) {
      move_out(*other);
      entry_ = exactly ? other->table.exact(handle, variable) : other->table.oldest(handle);
      if (entry_ != nullptr) return true;  // it could not move
      other->lock.unlock_other();
      holder_ = nullptr;
      return find_in_common(handle, variable, exactly);
    } else if (other->passes.fetch_add(1, std::memory_order_relaxed) + 1 >= most_passes) {
      other->lock.lock_other();
      move_out(*other);
      other->lock.unlock_other();
    }
  }
  return false;
}

// An exact match in any thread's table comes before the oldest entry of the handle. Either is looked for in the calling
// thread's table first. A request that moves out during the search is found by its handle, in its new place.
LockedRequest::LockedRequest(std::uint64_t handle, std::uint64_t variable) {
  ThreadRequests* const mine = this_thread.requests;
  ThreadRequests* const own = mine == nullptr || mine->has_moved_out.load(std::memory_order_acquire) ? nullptr : mine;
  for (bool const exactly : {true, false}) {
    if (own != nullptr && find_here(*own, handle, variable, exactly)) return;
    if (find_in_common(handle, variable, exactly)) return;
    if (find_among_others(own, handle, variable, exactly)) return;
  }
}

LockedRequest::~LockedRequest() {
  if (holder_ == nullptr) return;
  if (is_own_) holder_->lock.unlock_owner(as_owner_);
  else holder_->lock.unlock_other();
}

}  // namespace commprof::requests
