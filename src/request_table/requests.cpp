#include "request_table/requests.hpp"

#include <new>

#include "base/memory.hpp"

namespace commprof::requests {

constinit ThreadRequests of_process{.lock = BiasedLock(BiasedLock::WithoutOwner{}), .table = {}, .next = nullptr};

namespace {

std::atomic<ThreadRequests*> all_threads{nullptr};

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
  return made;
}

// The calling thread's table; nullptr when memory is used up.
ThreadRequests* mine() {
  Shard* const shard = Shards::mine();
  if (shard == nullptr) return nullptr;
  return this_thread.requests != nullptr ? this_thread.requests : make_for(*shard);
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

ThreadRequests* first_of_threads() { return all_threads.load(std::memory_order_acquire); }

bool insert_among_threads(std::uint64_t handle, std::uint64_t variable, Ticks issue_time, std::uint64_t sent,
                          std::uint64_t received, std::uint64_t packed_key, std::uint32_t traits, std::uint32_t link) {
  ThreadRequests* const own = mine();
  if (own == nullptr) [[unlikely]]
    return false;
  bool const as_owner = own->lock.lock_owner();
  bool const done = own->table.insert(
      handle, variable,
      {.issue_time = issue_time, .known = {sent, received}, .key = {packed_key}, .traits = traits, .link = link});
  own->lock.unlock_owner(as_owner);
  return done;
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

// An exact match in any thread's table comes before the oldest entry of the handle. Either is looked for in the calling
// thread's table first.
LockedRequest::LockedRequest(std::uint64_t handle, std::uint64_t variable) {
  ThreadRequests* const own = mine();
  for (bool const exactly : {true, false}) {
    if (own != nullptr && find_here(*own, handle, variable, exactly)) return;
    for (ThreadRequests* other = first_of_threads(); other != nullptr; other = other->next)
      if (other != own && find_there(*other, handle, variable, exactly)) return;
  }
}

LockedRequest::~LockedRequest() {
  if (holder_ == nullptr) return;
  if (is_own_) holder_->lock.unlock_owner(as_owner_);
  else holder_->lock.unlock_other();
}

}  // namespace commprof::requests
