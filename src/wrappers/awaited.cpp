#include "wrappers/awaited.hpp"

#include "mpi/error_class.hpp"
#include "time_windows/time_windows.hpp"

namespace commprof::awaited {

namespace {

MessageWaits& waits() { return message_waits::of_process; }

// False in a pause.
bool begin(SpanningCall& call, Op op, Interval interval) {
  call.entry = interval.end - interval.elapsed;
  call.exit = interval.end;
  call.op = op;
  std::uint32_t const base = state.here().base;
  if (base == RecordKey::of_nothing) return false;
  call.scope = RecordKey{base}.scope();
  return true;
}

// The rank of the peer as a request keeps it, or any_peer.
std::int32_t peer_of(IssuedRequest const& request) {
  std::uint32_t const peer = request.peer();
  return peer == IssuedRequest::some_peer ? MessageWaits::any_peer : static_cast<std::int32_t>(peer);
}

// source: any_peer for MPI_ANY_SOURCE.
MessageNumber post(CommIndex comm, std::int32_t source, int tag, Ticks at) {
  return waits().post(comm, source, tag == MPI_ANY_TAG ? MessageWaits::any_tag : tag, at);
}

Awaited awaited_by(PendingRequest const& request, Way way) {
  std::uint64_t const pair = way == Way::in ? request.known.sent : request.known.received;
  Awaited one{.comm = request.comm(),
              .peer = peer_of(request),
              .tag = IssuedRequest::tag_of(pair),
              .number = IssuedRequest::number_of(pair),
              .way = way,
              .is_ticket = way == Way::in && request.has_ticket()};
  bool const is_inactive = request.is_persistent() && one.number == Streams::no_number;
  if (is_inactive || IssuedRequest::number_of(pair) == IssuedRequest::no_message) one.what = Awaited::nothing;
  else if (!one.is_ticket) one.world_rank = waits().world_rank(one.comm, one.peer);
  return one;
}

void give_back(PendingRequest const& request, Way way) {
  Awaited const one = awaited_by(request, way);
  if (one.is_known()) waits().give_back(one.key(), one.number);
}

}  // namespace

bool may_wait(Op op) { return waits::waits_for_senders(op) || waits::waits_for_receivers(op); }

void learn(CommOfCall comm, Communicator const& record, int peer) {
  if (record.index == CommIndex::world || record.is_folded || peer < 0) return;
  if (waits().world_rank(record.index, peer) == WorldRank::elsewhere)
    waits().learn(record.index, peer, communicators::world_rank(CommView{comm, record}, peer));
}

MessageNumber post_behind(CommOfCall comm, Communicator const& record, int source, int tag, Ticks at) {
  bool const is_any = source == MPI_ANY_SOURCE;
  if (source < 0 && !is_any) return {IssuedRequest::no_message};
  MessageNumber const number = post(record.index, is_any ? MessageWaits::any_peer : source, tag, at);
  if (number.value == 0 && !number.is_ticket) learn(comm, record, source);
  return number;
}

namespace {

// Whether the call may have done something before it failed.
bool may_have_moved(int error) {
  switch (error_class_of(error)) {
    case MPI_ERR_ARG:
    case MPI_ERR_BUFFER:
    case MPI_ERR_COMM:
    case MPI_ERR_COUNT:
    case MPI_ERR_RANK:
    case MPI_ERR_TAG:
    case MPI_ERR_TYPE:
      return false;
    default:
      return true;
  }
}

}  // namespace

// Wrappers of blocking receives do not keep source and tag over the call, only to know them if it fails.
void failed(MPI_Comm comm, int result, int dest, int tag, bool takes, int source, int source_tag) {
  CommIndex const index = counting::index_of_failed(comm, result);
  if (index == CommIndex::unknown || !may_have_moved(result)) return;
  if (dest >= 0) waits().doubt(StreamKey::of(Way::out, index, dest, tag));
  if (!takes || source == MPI_PROC_NULL) return;
  if (source == MPI_ANY_SOURCE || source_tag == MPI_ANY_TAG) waits().doubt_receives(index);
  else waits().doubt(StreamKey::of(Way::in, index, source, source_tag));
}

void notice(Interval interval, Op op, bool is_added) {
  Ticks const entry = interval.end - interval.elapsed;
  if (waits::waits_for_others(op)) waits().span({.entry = entry, .exit = interval.end, .op = op}, nullptr, 0);
  else waits().pass(entry, interval.end);
  time_windows::of_process.pass(interval, op, is_added);
}

void span_of_blocking(Op op, Interval interval, CommIndex comm, int dest, int tag, std::uint32_t sent,
                      MPI_Status const* status, std::uint32_t taken, bool is_ticket) {
  time_windows::of_process.pass(interval, op, true);
  SpanningCall call;
  if (!may_wait(op)) return;
  if (!begin(call, op, interval)) return waits().span(call, nullptr, 0);
  Awaited awaited[2];
  std::size_t count = 0;
  if (dest >= 0)
    awaited[count++] = {.comm = comm,
                        .peer = dest,
                        .tag = tag,
                        .world_rank = waits().world_rank(comm, dest),
                        .number = sent,
                        .way = Way::out};
  if (status != nullptr && status->MPI_SOURCE >= 0) {
    bool const probes = op == Op::Probe;
    MessageNumber const number =
        probes ? waits().next_number(comm, status->MPI_SOURCE, status->MPI_TAG) : MessageNumber{taken, is_ticket};
    awaited[count++] = {.comm = comm,
                        .peer = status->MPI_SOURCE,
                        .tag = status->MPI_TAG,
                        .world_rank = waits().world_rank(comm, status->MPI_SOURCE),
                        .number = number.value,
                        .way = Way::in,
                        .is_ticket = number.is_ticket};
  }
  if (count == 0) awaited[count++] = {.comm = comm, .what = Awaited::nothing};
  waits().span(call, awaited, count);
}

void prepared(GivenComm given, CachedCall const& cached, IssuedRequest& request) {
  bool const posts = given.source_tag != GivenComm::no_message, sends = given.sends && given.tag >= 0;
  if (!waits().is_on() || (!posts && !sends)) return;
  int const peer = posts ? given.source : given.dest, tag = posts ? given.source_tag : given.tag;
  bool const is_any = posts && peer == MPI_ANY_SOURCE;
  bool const is_message = peer >= 0 || is_any;
  learn(given.comm, *cached.comm, peer);
  request.traits |= posts ? IssuedRequest::takes : IssuedRequest::gives;
  request.set_peer(peer < 0 ? IssuedRequest::some_peer : static_cast<std::uint32_t>(peer));
  (posts ? request.known.sent : request.known.received) =
      IssuedRequest::with_tag(tag, is_message ? Streams::no_number : IssuedRequest::no_message);
}

void started(PendingRequest& request, Interval call) {
  Ticks const begun = call.end - call.elapsed;
  request.since = call.end;
  std::uint64_t const pair = request.takes_message() ? request.known.sent : request.known.received;
  if (IssuedRequest::number_of(pair) == IssuedRequest::no_message) return;
  if (request.takes_message()) {
    std::int32_t const tag = IssuedRequest::tag_of(request.known.sent);
    MessageNumber const number = post(request.comm(), peer_of(request), tag, begun);
    request.known.sent = IssuedRequest::with_tag(tag, number.value);
    if (number.is_ticket) request.traits |= IssuedRequest::ticket;
  } else if (request.gives_message()) {
    std::int32_t const tag = IssuedRequest::tag_of(request.known.received);
    StreamKey const key = StreamKey::of(Way::out, request.comm(), peer_of(request), tag);
    request.known.received = IssuedRequest::with_tag(tag, waits().count(key, begun));
  }
}

namespace {

// The call has no handle of the communicator. If there are threads, another one may be freeing it.
void learn_source(CommIndex comm, int source) {
  Communicator const& record = communicators::registry[comm];
  std::uint64_t const handle = record.handle_now();
  if (!state.is_threaded() && handle != 0 && !communicators::registry.is_freed(comm))
    learn(handle_of_bits<MPI_Comm>(handle), record, source);
}

}  // namespace

void add_pending(PendingRequest const& request) {
  if (request.is_pending()) waits().add_pending(request.key, request.since);
}

void completed(PendingRequest& request, MPI_Status const* status) {
  bool const has_ticket = request.has_ticket();
  std::uint32_t const ticket = IssuedRequest::number_of(request.known.sent);
  if (has_ticket && status != nullptr) learn_source(request.comm(), status->MPI_SOURCE);
  if (has_ticket && status != nullptr) waits().complete(ticket, status->MPI_SOURCE, status->MPI_TAG);
  else if (has_ticket) waits().cancel(ticket);
  if (status == nullptr && request.takes_message() && !has_ticket) give_back(request, Way::in);
  if (status == nullptr && request.gives_message()) give_back(request, Way::out);
  request.traits &= ~IssuedRequest::ticket;
  // A persistent request that is not active has no number.
  auto const forget = [](std::uint64_t& pair) {
    if (IssuedRequest::number_of(pair) != IssuedRequest::no_message) pair |= Streams::no_number;
  };
  if (has_ticket || (request.is_persistent() && request.takes_message())) forget(request.known.sent);
  if (request.is_persistent() && request.gives_message()) forget(request.known.received);
}

void lost(PendingRequest& request) {
  if (request.has_ticket()) waits().lose(IssuedRequest::number_of(request.known.sent));
  request.traits &= ~IssuedRequest::ticket;
}

Collector::Collector(Op op, Interval interval, bool ends_with_any) {
  is_counted_ = begin(call_, op, interval);
  call_.ends_with_any = ends_with_any;
}

void Collector::add(Awaited const& one) {
  if (count_ == SpanningCall::most_awaited) call_.is_whole = false;
  else awaited_[count_++] = one;
}

void Collector::add(PendingRequest const& request) {
  if (!request.takes_message() && !request.gives_message())
    return add(Awaited{.comm = request.comm(), .what = Awaited::other});
  for (Way const way : {Way::in, Way::out}) {
    if (way == Way::in ? request.takes_message() : request.gives_message()) add(awaited_by(request, way));
  }
}

void Collector::add(std::uint64_t key, std::uint64_t variable) {
  if (!call_.is_whole) return;
  bool const is_known =
      requests::with_request(key, variable, [&](RequestTable&, PendingRequest const& request) { add(request); });
  if (!is_known) add(Awaited{.comm = CommIndex::self, .what = Awaited::other});
}

void Collector::keep() {
  if (count_ > 0) waits().span(call_, awaited_, is_counted_ ? count_ : 0);
}

}  // namespace commprof::awaited
