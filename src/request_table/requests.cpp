#include "request_table/requests.hpp"

#include <algorithm>
#include <iterator>
#include <new>

#include "base/memory.hpp"

namespace commprof::requests {

constinit ThreadRequests of_process{.lock = BiasedLock(BiasedLock::WithoutOwner{}), .table = {}, .next = nullptr};

namespace {

constexpr std::size_t most_to_search = 32;
constexpr std::uint32_t most_long_searches = 16;

std::atomic<ThreadRequests*> all_tables{nullptr};
std::atomic<std::uint32_t> long_searches{0};
std::atomic<bool> are_common{false};  // requests are issued into the common tables
std::atomic<bool> have_moved{false};  // and none is anywhere else

void show_to_all(ThreadRequests& requests) {
  requests.next = all_tables.load(std::memory_order_relaxed);
  while (!all_tables.compare_exchange_weak(requests.next, &requests)) {
  }
}

ThreadRequests* make_for(Shard& shard) {
  void* const pages = map_pages(sizeof(ThreadRequests));
  if (pages == nullptr) return nullptr;
  auto* const made = new (pages) ThreadRequests;
  made->table.keep_in_spool(shard.number + 1);
  shard.requests = this_thread.requests = made;
  show_to_all(*made);
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
  common[number].store(made, std::memory_order_release);
  show_to_all(*made);
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

bool is_common(ThreadRequests const& table) {
  return std::any_of(std::begin(common), std::end(common),
                     [&](auto const& one) { return one.load(std::memory_order_acquire) == &table; });
}

// Moves the requests of a table, whose lock is held, to the common tables, in the order of their issue. False: without
// memory, the rest stays.
bool move_out(RequestTable& from) {
  PageVector<PendingRequest> entries;
  bool done = true;
  from.for_each([&](PendingRequest const& entry) { done = done && entries.push_back(entry); });
  if (!done) return false;
  std::sort(entries.begin(), entries.end(),
            [](PendingRequest const& a, PendingRequest const& b) { return a.since < b.since; });
  for (PendingRequest const& entry : entries) {
    if (!insert_in_common(entry.handle, entry.variable, entry)) return false;
    PendingRequest moved;
    from.remove(entry.handle, entry.variable, moved);
  }
  return true;
}

std::mutex move_mutex;

// A thread that makes its table meanwhile sees are_common after it has shown the table, or its table is seen here.
// Threads that search the tables in vain wait for the move, and leave the processors to the thread that makes it.
void move_all_out() {
  std::lock_guard const lock(move_mutex);
  if (have_moved.load(std::memory_order_relaxed)) return;
  are_common.store(true);
  ThreadRequests* const first = all_tables.load();
  BiasedLock::revoke([first](auto const& visit) {
    for (ThreadRequests* table = first; table != nullptr; table = table->next) visit(table->lock);
  });
  bool done = true;
  for (ThreadRequests* table = first; table != nullptr; table = table->next) {
    if (is_common(*table)) continue;
    table->lock.lock_other();
    done = move_out(table->table) && done;
    table->lock.unlock_other();
  }
  have_moved.store(done, std::memory_order_release);
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
  state.threaded = true;
}

ThreadRequests* first_of_threads() { return all_tables.load(std::memory_order_acquire); }

bool insert_among_threads(std::uint64_t handle, std::uint64_t variable, Ticks issue_time, std::uint64_t sent,
                          std::uint64_t received, std::uint64_t packed_key, std::uint32_t traits, std::uint32_t link,
                          Ticks since) {
  IssuedRequest const request{.issue_time = issue_time,
                              .known = {sent, received},
                              .key = {packed_key},
                              .traits = traits,
                              .link = link,
                              .since = since};
  if (!are_common.load(std::memory_order_acquire)) {
    ThreadRequests* const own = mine();
    if (own == nullptr) [[unlikely]]
      return false;
    bool const as_owner = own->lock.lock_owner();
    bool const is_here = !are_common.load();
    bool const done = is_here && own->table.insert(handle, variable, request);
    own->lock.unlock_owner(as_owner);
    if (is_here) return done;
  }
  this_thread.requests = nullptr;  // the thread may still own its lock
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

bool LockedRequest::find_among_threads(ThreadRequests const* own, std::uint64_t handle, std::uint64_t variable,
                                       bool exactly) {
  if (have_moved.load(std::memory_order_acquire)) return false;
  std::size_t searched = 0;
  ThreadRequests* table = first_of_threads();
  for (; table != nullptr; table = table->next) {
    if (table == own) continue;
    ++searched;
    if (find_there(*table, handle, variable, exactly)) break;
  }
  bool const is_found = table != nullptr;
  if (searched <= most_to_search || long_searches.fetch_add(1, std::memory_order_relaxed) + 1 < most_long_searches)
    return is_found;
  if (is_found) table->lock.unlock_other();
  entry_ = nullptr;
  holder_ = nullptr;
  move_all_out();
  return is_found && (find_in_common(handle, variable, exactly) || find_there(*table, handle, variable, exactly));
}

// An exact match in any thread's table comes before the oldest entry of the handle. Either is looked for in the calling
// thread's table first. A request that moves during the search is found by its handle, in its new place.
LockedRequest::LockedRequest(std::uint64_t handle, std::uint64_t variable) {
  ThreadRequests* const own = have_moved.load(std::memory_order_acquire) ? nullptr : this_thread.requests;
  for (bool const exactly : {true, false}) {
    if (own != nullptr && find_here(*own, handle, variable, exactly)) return;
    if (find_in_common(handle, variable, exactly)) return;
    if (find_among_threads(own, handle, variable, exactly)) return;
  }
}

LockedRequest::~LockedRequest() {
  if (holder_ == nullptr) return;
  if (is_own_) holder_->lock.unlock_owner(as_owner_);
  else holder_->lock.unlock_other();
}

}  // namespace commprof::requests
