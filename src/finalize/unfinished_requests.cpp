#include "finalize/unfinished_requests.hpp"

#include "request_table/requests.hpp"

namespace commprof {

namespace {

// While other threads may go on.
template <class Visitor>
void for_each_pending(Visitor&& visit) {
  requests::of_process.for_each(visit);
  for (ThreadRequests* thread = requests::first_of_threads(); thread != nullptr; thread = thread->next) {
    bool const is_own = this_thread.shard != nullptr && this_thread.shard->requests == thread;
    bool const as_owner = is_own && thread->lock.lock_owner();
    if (!is_own) thread->lock.lock_other();
    thread->table.for_each(visit);
    if (is_own) thread->lock.unlock_owner(as_owner);
    else thread->lock.unlock_other();
  }
}

}  // namespace

UnfinishedRequests::UnfinishedRequests() {
  for_each_pending([this](PendingRequest const& request) {
    if (request.persistent && request.start() == 0) return;
    if (request.is_counted()) ++count_;
    if (request.receives && !request.persistent) add(request.key, request.known, request.issue_time);
  });
  Guard const guard(requests::started.mutex);
  requests::started.table.for_each([this](StartedCall const& call) { add(call.key, call.volume, call.time); });
}

void UnfinishedRequests::add(RecordKey key_without_size, Volume volume, Ticks time) {
  if (key_without_size.is_of_nothing()) return;  // issued in a pause
  Record record{};
  record.key = key_without_size.with(size_bin(volume.total()));
  record.add(volume, time);
  if (!records_.push_back(record)) ++lost_calls_;
}

}  // namespace commprof
