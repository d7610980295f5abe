#include "wrappers/awaited.hpp"

#include "mpi/library_version.hpp"
#include "time_windows/time_windows.hpp"

namespace commprof::awaited {

namespace {

MessageWaits& waits() { return message_waits::of_process; }

// The other process of a message, or any_peer.
std::int32_t peer_of(IssuedRequest const& request, Way way) {
  std::int32_t const rank = request.rank(way);
  return way == Way::in && rank == MPI_ANY_SOURCE ? MessageWaits::any_peer : rank;
}

// source: any_peer for MPI_ANY_SOURCE.
MessageNumber post(CommIndex comm, std::int32_t source, int tag, Ticks at, Op op) {
  return waits().post(comm, source, tag == MPI_ANY_TAG ? MessageWaits::any_tag : tag, at, op);
}

// The members that a collective call waits for: its root, or all if that is negative.
Awaited awaited_members(CommIndex comm, calls::Joint joint, std::int32_t root, std::uint32_t number) {
  Communicator const& record = communicators::registry[comm];
  bool const is_alone = !record.is_folded && !record.is_inter && record.size == 1;
  bool const is_root = root == record.rank && !record.is_folded && !record.is_inter;
  Awaited one{.comm = comm,
              .peer = StreamKey::everybody,
              .tag = static_cast<std::int32_t>(joint),
              .number = number,
              .what = Awaited::members};
  if (is_alone || is_root) one.what = Awaited::nothing;
  else if (!communicators::registry.has_same_members_on_all(record)) one.what = Awaited::other;
  if (root < 0 || !one.is_of_members()) return one;
  one.peer = root;
  one.world_rank = waits().world_rank(comm, root);
  return one;
}

Awaited awaited_by(PendingRequest const& request, Way way) {
  if (request.awaits_members())
    return awaited_members(request.comm(), request.joint(), request.root(), request.number(way));
  Awaited one{.comm = request.comm(),
              .peer = peer_of(request, way),
              .tag = request.tag(way),
              .number = request.number(way),
              .way = way,
              .is_ticket = way == Way::in && request.has_ticket()};
  bool const is_inactive = request.is_persistent() && one.number == Streams::no_number;
  if (is_inactive || one.number == IssuedRequest::no_message) one.what = Awaited::nothing;
  else if (!one.is_ticket) one.world_rank = waits().world_rank(one.comm, one.peer);
  return one;
}

// The number of the message that a probe has found, or looks for.
std::uint32_t next_number(CommIndex comm, std::int32_t source, std::int32_t tag) {
  return waits().counted(StreamKey::of(Way::in, comm, source, tag));
}

void give_back(PendingRequest const& request, Way way) {
  Awaited const one = awaited_by(request, way);
  if (one.is_known()) waits().give_back(one.key(), one.number);
}

}  // namespace

bool may_wait(Op op) { return calls::waits_for_senders(op) || calls::waits_for_receivers(op); }

void failed_to_join(Op op, MPI_Comm comm, int result, Ticks at) {
  CommIndex const index = counting::index_of_failed(comm, result);
  if (index != CommIndex::unknown && waits().is_on()) join(index, op, at);
}

void span_of_members(Op op, Interval interval, CommIndex comm, int root, std::uint32_t number) {
  use_so_far::refresh();
  time_windows::of_process.pass(interval, op, true);
  Communicator const& record = communicators::registry[comm];
  Collector collector(op, interval, false);
  if (calls::is_of_neighbours(op) && !record.is_folded && record.handle_now() != 0) {
    auto const handle = handle_of_bits<MPI_Comm>(record.handle_now());
    collector.add(Awaited{.comm = comm, .what = Awaited::nothing});  // if it has no neighbours
    volume::for_each_neighbour(CommView{handle, record}, Way::in, [&](int, int rank) {
      if (rank == record.rank) return;
      learn(handle, record, rank);
      collector.add(awaited_members(comm, calls::joint_of(op), rank, number));
    });
  } else {
    collector.add(awaited_members(comm, calls::joint_of(op), root, number));
  }
  collector.keep();
}

void learn(CommOfCall comm, Communicator const& record, int peer) {
  if (record.index == CommIndex::world || record.is_folded || peer < 0) return;
  if (waits().world_rank(record.index, peer) == WorldRank::elsewhere)
    waits().learn(record.index, peer, communicators::world_rank(CommView{comm, record}, peer));
}

MessageNumber post(CommOfCall comm, Communicator const& record, int source, int tag, Ticks at, Op op) {
  bool const is_any = source == MPI_ANY_SOURCE;
  if (source < 0 && !is_any) return {IssuedRequest::no_message};
  MessageNumber const number = post(record.index, is_any ? MessageWaits::any_peer : source, tag, at, op);
  if (number.value == 0 && !number.is_ticket) learn(comm, record, source);
  return number;
}

// Wrappers of blocking receives do not keep source and tag over the call, only to know them if it fails.
void failed(MPI_Comm comm, int result, int dest, int tag, bool takes) {
  CommIndex const index = counting::index_of_failed(comm, result);
  if (index == CommIndex::unknown) return;
  if (dest >= 0) waits().doubt(StreamKey::of(Way::out, index, dest, tag));
  if (takes) waits().doubt_receives(index);
}

void notice(Interval interval, Op op, bool is_added) {
  Ticks const entry = interval.end - interval.elapsed;
  if (calls::waits_for_others(op)) waits().span({.entry = entry, .exit = interval.end, .op = op}, nullptr, 0);
  else waits().pass(entry, interval.end);
  time_windows::of_process.pass(interval, op, is_added);
}

void span_of_blocking(Op op, Interval interval, CommIndex comm, int dest, int tag, std::uint32_t sent,
                      MPI_Status const* status, std::uint32_t taken) {
  time_windows::of_process.pass(interval, op, true);
  if (!may_wait(op)) return;
  bool const has_come = status != nullptr && status->MPI_SOURCE >= 0;
  Collector collector(op, interval, false);
  if (dest >= 0)
    collector.add(Awaited{.comm = comm,
                          .peer = dest,
                          .tag = tag,
                          .world_rank = waits().world_rank(comm, dest),
                          .number = sent,
                          .way = Way::out});
  if (has_come) {
    std::int32_t const source = status->MPI_SOURCE, tag_of_it = status->MPI_TAG;
    collector.add(Awaited{.comm = comm,
                          .peer = source,
                          .tag = tag_of_it,
                          .world_rank = waits().world_rank(comm, source),
                          .number = op == Op::Probe ? next_number(comm, source, tag_of_it) : taken,
                          .way = Way::in});
  }
  if (dest < 0 && !has_come) collector.add(Awaited{.comm = comm, .what = Awaited::nothing});
  collector.keep();
}

void span_of_poll(Op op, Interval interval, CommOfCall comm, Communicator const& record, int source, int tag) {
  if (!waits().is_on()) return notice(interval, op, true);
  Awaited one{.comm = record.index, .peer = source, .tag = tag, .what = Awaited::other};
  if (source == MPI_PROC_NULL) one.what = Awaited::nothing;
  if (source >= 0 && tag != MPI_ANY_TAG) {
    learn(comm, record, source);
    one.what = Awaited::message;
    one.world_rank = waits().world_rank(record.index, source);
    one.number = next_number(record.index, source, tag);
  }
  Collector collector(op, interval, false);
  collector.add(one);
  collector.keep();
  notice(interval, op, true);
}

void prepared(GivenComm given, CachedCall const& cached, IssuedRequest& request) {
  bool const posts = given.source_tag != GivenComm::no_message, sends = given.sends && given.tag >= 0;
  if (!waits().is_on() || (!posts && !sends)) return;
  int const peer = posts ? given.source : given.dest, tag = posts ? given.source_tag : given.tag;
  bool const is_any = posts && peer == MPI_ANY_SOURCE;
  bool const is_message = peer >= 0 || is_any;
  learn(given.comm, *cached.comm, peer);
  request.set_message(posts ? Way::in : Way::out, tag, is_message ? Streams::no_number : IssuedRequest::no_message);
}

void started(PendingRequest& request, Op op, Interval call) {
  Ticks const begun = call.end - call.elapsed;
  request.since = call.end;
  Way const way = request.has_message(Way::in) ? Way::in : Way::out;
  if (!request.has_message(way) || request.number(way) == IssuedRequest::no_message) return;
  std::int32_t const peer = peer_of(request, way), tag = request.tag(way);
  if (way == Way::out)
    return request.set_number(way, waits().count(StreamKey::of(way, request.comm(), peer, tag), begun, op));
  MessageNumber const number = post(request.comm(), peer, tag, begun, op);
  request.set_number(way, number.value);
  if (number.is_ticket) request.traits |= IssuedRequest::ticket;
}

namespace {

// The call has no handle of the communicator. If there are threads, another one may be freeing it.
void learn_source(CommIndex comm, int source) {
  Communicator const& record = communicators::registry[comm];
  std::uint64_t const handle = record.handle_now();
  if (!state.is_threaded() && handle != 0 && !communicators::registry.is_freed(comm))
    learn(handle_of_bits<MPI_Comm>(handle), record, source);
}

// MPICH 4.0.2 completes a request that sends and receives with the status of some other request.
bool has_status(PendingRequest const& request) { return is_open_mpi() || !request.has_message(Way::out); }

// Says which message a receive with a ticket got.
void redeem(PendingRequest& request, MPI_Status const* status) {
  std::uint32_t const ticket = request.number(Way::in);
  if (status == nullptr) return waits().cancel(ticket);
  if (!has_status(request)) return waits().lose(ticket);
  learn_source(request.comm(), status->MPI_SOURCE);
  waits().complete(ticket, status->MPI_SOURCE, status->MPI_TAG);
}

}  // namespace

void add_pending(PendingRequest const& request) {
  if (request.is_pending()) waits().add_pending(request.key, request.since);
}

void completed(PendingRequest& request, MPI_Status const* status) {
  bool const had_ticket = request.has_ticket();
  if (had_ticket) redeem(request, status);
  request.traits &= ~IssuedRequest::ticket;
  for (Way const way : {Way::in, Way::out}) {
    if (!request.has_message(way)) continue;
    bool const has_number = way == Way::out || !had_ticket;
    if (status == nullptr && has_number) give_back(request, way);
    // A persistent request that is not active has no number.
    bool const is_over = request.is_persistent() || !has_number;
    if (is_over && request.number(way) != IssuedRequest::no_message) request.set_number(way, Streams::no_number);
  }
}

void lost(PendingRequest& request) {
  if (request.has_ticket()) waits().lose(request.number(Way::in));
  request.traits &= ~IssuedRequest::ticket;
}

Collector::Collector(Op op, Interval interval, bool ends_with_any, std::size_t requests) {
  // Odd, because receives and sends often come in turns.
  if (requests > SpanningCall::most_awaited) step_ = (requests / SpanningCall::most_awaited + 1) | 1;
  call_.entry = interval.end - interval.elapsed;
  call_.exit = interval.end;
  call_.op = op;
  call_.ends_with_any = ends_with_any;
  std::uint32_t const base = state.here().base;
  is_counted_ = base != RecordKey::of_nothing;
  if (is_counted_) call_.scope = RecordKey{base}.scope();
}

void Collector::add(Awaited const& one) {
  if (count_ < SpanningCall::most_awaited) awaited_.all[count_++] = one;
}

void Collector::add(PendingRequest const& request) {
  if (!request.has_message(Way::in) && !request.has_message(Way::out))
    return add(Awaited{.comm = request.comm(), .what = Awaited::other});
  for (Way const way : {Way::in, Way::out})
    if (request.has_message(way)) add(awaited_by(request, way));
}

void Collector::add(std::uint64_t key, std::uint64_t variable) {
  if (seen_++ % step_ != 0) return;
  bool const is_known =
      requests::with_request(key, variable, [&](RequestTable&, PendingRequest const& request) { add(request); });
  if (!is_known) add(Awaited{.comm = CommIndex::self, .what = Awaited::other});
}

void Collector::keep() {
  if (count_ > 0) waits().span(call_, awaited_.all, is_counted_ ? count_ : 0);
}

}  // namespace commprof::awaited
