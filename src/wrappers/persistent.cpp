#include "wrappers/persistent.hpp"

#include "profile/dropped.hpp"
#include "wrappers/messages.hpp"
#include "wrappers/shares.hpp"

namespace commprof {

namespace {

// Calls visit(entry) for a request of the call, if it is known.
template <class Visitor>
bool visit_entry(RequestsOfCall requests, std::size_t i, Visitor&& visit) {
  return requests::with_request(handle_bits(requests[i]), requests.variable(i),
                                [&](RequestTable&, PendingRequest& entry) { visit(entry); });
}

std::uint32_t add_started(StartedCall const& call) {
  Guard const guard(requests::started.mutex);
  return requests::started.table.add(call);
}

void count(StartedCall const& call) { Call::count(call.key, call.volume, call.time); }

}  // namespace

void start_requests(Call const& call, Op op, int result, int count_of_requests, RequestsOfCall requests) {
  Shard* const shard = Shards::mine();
  auto const n = static_cast<std::size_t>(!requests || count_of_requests < 0 ? 0 : count_of_requests);
  CommIndex* const comms = n == 0 || shard == nullptr ? nullptr : shard->handles.room<CommIndex>(n);
  if (comms == nullptr) return call.record(op, at_self(), result, volume::none);

  for (std::size_t i = 0; i < n; ++i) {
    comms[i] = CommIndex::self;
    visit_entry(requests, i, [&](PendingRequest const& request) { comms[i] = request.comm(); });
  }
  for_each_share(comms, comms + n, call.elapsed(), [&](CommIndex comm, std::uint64_t, Ticks share) {
    StartedCall started{.key = Call::key_of(comm, op), .time = share};
    for (std::size_t i = 0; i < n && result == MPI_SUCCESS; ++i) {
      visit_entry(requests, i, [&](PendingRequest const& request) {
        if (request.comm() != comm || !request.persistent) return;
        started.volume.sent += request.known.sent;
        started.volume.received += request.known.received;
        if (request.receives) ++started.receives;
        if (request.has_destination()) messages::count_started(comm, request);
      });
    }
    std::uint32_t const index = started.receives == 0 ? 0 : add_started(started);
    if (index == 0) count(started);
    for (std::size_t i = 0; i < n && index != 0; ++i) {
      visit_entry(requests, i, [&](PendingRequest& request) {
        if (request.comm() == comm && request.receives) request.set_start(index);
      });
    }
  });
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
