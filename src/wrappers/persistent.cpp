#include "wrappers/persistent.hpp"

#include "base/dropped.hpp"
#include "wrappers/messages.hpp"
#include "wrappers/shares.hpp"

namespace commprof {

namespace {

std::uint32_t add_started(StartedCall const& call) {
  Guard const guard(requests::started.mutex);
  return requests::started.table.add(call);
}

void count(StartedCall const& call) { counting::add(call.key, call.volume, call.time); }

}  // namespace

Starting::Starting(int count, RequestsOfCall requests)
    : requests_(requests), count_(!requests || count < 0 ? 0 : static_cast<std::size_t>(count)) {
  if (count_ > 1) {
    Shard* const shard = Shards::mine();
    keys_ = shard == nullptr ? nullptr : shard->statuses.room<RequestKey>(count_);
    if (keys_ == nullptr) count_ = 0;
  }
  for (std::size_t i = 0; i < count_; ++i) keys_[i] = requests.key(i);
}

void Starting::started(Call const& call, Op op, int result) const {
  Shard* const shard = Shards::mine();
  CommIndex* const comms = count_ == 0 || shard == nullptr ? nullptr : shard->handles.room<CommIndex>(count_);
  if (comms == nullptr) return record(call, op, at_self(result), volume::none);

  for (std::size_t i = 0; i < count_; ++i) {
    comms[i] = CommIndex::self;
    visit(i, [&](RequestTable&, PendingRequest const& request) { comms[i] = request.comm(); });
  }
  for_each_share(comms, comms + count_, call.elapsed(), [&](CommIndex comm, std::uint64_t, Ticks share) {
    StartedCall started{.key = key_of_begun(comm, op), .time = share};
    for (std::size_t i = 0; i < count_ && result == MPI_SUCCESS; ++i) {
      visit(i, [&](RequestTable&, PendingRequest const& request) {
        if (request.comm() != comm || !request.is_persistent()) return;
        started.volume.sent += request.known.sent;
        started.volume.received += request.known.received;
        if (request.receives()) ++started.receives;
        if (request.has_destination() && !started.key.is_of_nothing()) messages::count_started(comm, request);
      });
    }
    std::uint32_t const index = started.receives == 0 ? 0 : add_started(started);
    if (index == 0) count(started);
    for (std::size_t i = 0; i < count_ && index != 0; ++i) {
      visit(i, [&](RequestTable&, PendingRequest& request) {
        if (request.comm() == comm && request.receives()) request.set_start(index);
      });
    }
  });
  follow_new_keys();
}

void Starting::follow_new_keys() const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (requests_.key(i) == keys_[i]) continue;
    visit(i, [&](RequestTable& table, PendingRequest& entry) {
      if (!entry.is_persistent()) return;
      IssuedRequest request;
      request.set(entry);
      table.erase(entry);
      if (!table.insert(requests_.key(i), requests_.variable(i), request)) dropped::count(Dropped::requests);
    });
  }
}

void complete_started(PendingRequest& request, std::uint64_t arrived) {
  StartedCall call;
  std::uint32_t const start = request.start();
  if (start == 0) return;
  request.set_start(0);
  Guard const guard(requests::started.mutex);
  if (requests::started.table.receive_completed(start, arrived, call)) count(call);
}

}  // namespace commprof
