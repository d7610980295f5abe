#include "wrappers/persistent.hpp"

#include "profile/dropped.hpp"
#include "wrappers/shares.hpp"

namespace commprof {

namespace {

PendingRequest* find(RequestsOfCall requests, std::size_t i) {
  return requests::pending.table.find(handle_bits(requests[i]), requests.variable(i));
}

void count(StartedCall const& call) {
  if (call.counted) Call::count(call.comm, call.region, call.op, call.volume, call.time);
}

}  // namespace

void start_requests(Call const& call, Op op, int result, int count_of_requests, RequestsOfCall requests) {
  Shard* const shard = Shards::mine();
  auto const n = static_cast<std::size_t>(!requests || count_of_requests < 0 ? 0 : count_of_requests);
  CommIndex* const comms = n == 0 || shard == nullptr ? nullptr : shard->requests.room<CommIndex>(n);
  if (comms == nullptr) return call.record(op, at_self(), result, volume::none);

  requests::Guard const guard(requests::pending.mutex);
  for (std::size_t i = 0; i < n; ++i) {
    PendingRequest const* const request = find(requests, i);
    comms[i] = request == nullptr ? CommIndex::self : request->comm;
  }
  for_each_share(comms, comms + n, call.elapsed(), [&](CommIndex comm, std::uint64_t, Ticks share) {
    StartedCall started{.comm = comm, .op = op, .region = state.current_region(), .counted = state.is_counting(), .time = share};
    for (std::size_t i = 0; i < n && result == MPI_SUCCESS; ++i) {
      PendingRequest const* const request = find(requests, i);
      if (request == nullptr || request->comm != comm || !request->persistent) continue;
      started.volume.sent += request->known.sent;
      started.volume.received += request->known.received;
      if (request->receives) ++started.receives;
    }
    std::uint32_t const index = started.receives == 0 ? 0 : requests::started.add(started);
    if (index == 0) count(started);
    for (std::size_t i = 0; i < n && index != 0; ++i)
      if (PendingRequest* const request = find(requests, i); request != nullptr && request->comm == comm && request->receives)
        request->start = index;
  });
}

void complete_started(PendingRequest& request, std::uint64_t arrived) {
  StartedCall call;
  if (request.start != 0 && requests::started.receive_completed(request.start, arrived, call)) count(call);
  request.start = 0;
}

}  // namespace commprof
