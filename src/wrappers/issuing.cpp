#include "wrappers/issuing.hpp"

#include "base/dropped.hpp"
#include "sites/sites.hpp"

namespace commprof {

namespace {

std::uint32_t add_started(StartedCall const& call) {
  Guard const guard(requests::started.mutex);
  return requests::started.table.add(call);
}

void count(StartedCall const& call) { counting::add(call.key, call.volume, call.time); }

}  // namespace

void Starting::started(Call const& call, Op op, int result) const {
  if (count_ == 0) return record(call, op, at_self(result), volume::none);
  Started* const first = all();
  Started* const last = first + count_;
  for (std::size_t i = 0; i < count_; ++i) {
    first[i] = {CommIndex::self, static_cast<std::uint32_t>(i)};
    visit(i, [&](RequestTable&, PendingRequest const& request) { first[i].comm = request.comm(); });
  }
  for_each_share(first, last, call.elapsed(), [&](Started const* from, Started const* to, Ticks share) {
    count(call, op, from->comm, from, to, share, result);
  });
  follow_new_keys();
}

// Counts a call's requests on one communicator.
void Starting::count(Call const& call, Op op, CommIndex comm, Started const* first, Started const* last, Ticks share,
                     int result) const {
  StartedCall started{.key = key_of_begun(comm, op), .time = share};
  for (Started const* one = first; one != last && result == MPI_SUCCESS; ++one) {
    visit(one->number, [&](RequestTable&, PendingRequest& request) {
      if (request.comm() != comm || !request.is_persistent()) return;
      awaited::started(request, op, call.interval());
      Volume const bytes = request.bytes();
      started.volume.sent += bytes.sent;
      started.volume.received += bytes.received;
      if (request.receives()) ++started.receives;
      if (request.has_destination() && !started.key.is_of_nothing()) messages::count_started(comm, request);
    });
  }
  std::uint32_t const index = started.receives == 0 ? 0 : add_started(started);
  if (index == 0) return commprof::count(started);
  for (Started const* one = first; one != last; ++one) {
    visit(one->number, [&](RequestTable&, PendingRequest& request) {
      if (request.comm() != comm || !request.receives()) return;
      complete_started(request, 0);  // an earlier receive whose completion was not seen
      request.set_start(index);
    });
  }
}

void Starting::follow_new_keys() const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (requests_.key(i) == keys()[i]) continue;
    visit(i, [&](RequestTable& table, PendingRequest& entry) {
      IssuedRequest const request = entry;
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

namespace {

SiteIndex site_of(Call const& call) {
  RecordKey const key = RecordKey::of(CommIndex{}, state.detail_of_call(Op{}, SizeBin{}));
  return key.is_of_nothing() ? sites::table.site_of(call.site()) : sites::table.site(key.scope());
}

}  // namespace

[[gnu::hot]] void create(Call const& call, communicators::CreationCall const& creation, CountedComm parent,
                         MPI_Comm const* comm, RequestsOfCall request) {
  bool const succeeded = parent.succeeded(), follows_internal = state.options.internal && succeeded;
  if (follows_internal && request && parent.is_known())
    mpi_messages::issued(parent.comm, parent.index, creation.op, no_size);
  record(call, creation.op, parent, volume::none);
  if (!parent.is_known() && !succeeded) return;
  communicators::CreationCall made = creation;
  made.site = site_of(call);
  communicators::created(made, parent.index, parent.comm, succeeded ? *comm : MPI_COMM_NULL);
  if (follows_internal && *comm != MPI_COMM_NULL) mpi_messages::created(*comm, !request);
  if (request && succeeded && parent.is_known())
    issuing::follow(call, request, {.key = key_of_begun(parent.index, creation.op)});
}

[[gnu::hot]] void create(Call const& call, communicators::CreationCall const& creation, GivenComm parent,
                         MPI_Comm const* comm, RequestsOfCall request) {
  CachedCall const* const found = counting::find(creation.op, parent);
  CommIndex const index = found != nullptr ? found->comm->index : counting::index_of_failed(parent.comm, parent.result);
  create(call, creation, CountedComm{index, parent.result, parent.comm}, comm, request);
}

[[gnu::hot]] void release(Call const& call, Op op, CommIndex index) {
  record(call, op, CountedComm{index, MPI_SUCCESS}, volume::none);
}

}  // namespace commprof
