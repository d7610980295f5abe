// What the generated wrappers are made of: stamp, forward, stamp, record.
//
// A Call lives as long as the MPI call it stands for. It is true for the outermost call of a thread only: an MPI that builds
// one call upon another, or a callback that calls MPI, is counted once.
#pragma once

#include "base/clock.hpp"
#include "comm_naming/comm_naming.hpp"
#include "counters/counters.hpp"
#include "mpi_messages/mpi_messages.hpp"
#include "ops.hpp"
#include "request_table/requests.hpp"
#include "wrappers/messages.hpp"
#include "wrappers/nesting.hpp"
#include "wrappers/requests_of_call.hpp"
#include "wrappers/volume.hpp"

namespace commprof {

// Where a call counts: the record, and the communicator's handle where the call has it.
struct Place {
  MPI_Comm comm;
  CommIndex index;
};

// The communicator that a call was given, which a failed call may not have had. Its record is looked up as the call counts.
struct GivenComm {
  CommOfCall comm;
  int result;
  int dest = nobody;  // to whom the call sends a message
  bool sends = false;  // known when compiling

  static constexpr int nobody = -1;
  GivenComm to(int rank) const { return {comm, result, rank, true}; }
};
inline GivenComm at_comm(CommOfCall comm, int result) { return {comm, result}; }

// The window of a one-sided call, and its target.
struct Target {
  MPI_Win win;
  int rank;
  Place place;
};
inline Place at_world() { return {MPI_COMM_NULL, CommIndex::world}; }
inline Place at_self() { return {MPI_COMM_SELF, CommIndex::self}; }
inline Place at_window(MPI_Win win, int result) { return {MPI_COMM_NULL, windows::of(win, result)}; }
inline Target at_target(MPI_Win win, int rank, int result) { return {win, rank, at_window(win, result)}; }
inline Place at_file(MPI_File file) { return {MPI_COMM_NULL, files::of(file)}; }
// The place of a matched message that a call has consumed; handle: the message before the call.
Place at_message(MPI_Message handle, void const* variable, int result);
Place at_request(RequestsOfCall request);

class Call {
 public:
  // To be made in the wrapper itself, whose frame stands for the call.
  [[gnu::always_inline]] Call() : active_(state.is_tracking() && !is_nested(frame())) {
    if (!active_) return;
    this_thread.outermost_call = frame();
    start_ = clock::now();
  }
  Call(Call const&) = delete;
  Call& operator=(Call const&) = delete;
  [[gnu::always_inline]] ~Call() {
    if (active_) this_thread.outermost_call = nullptr;
  }

  explicit operator bool() const { return active_; }

  [[gnu::always_inline]] void stop() { elapsed_ = clock::since(start_); }
  Ticks elapsed() const { return elapsed_; }
  Interval interval() const { return {elapsed_, start_ + elapsed_}; }

  // Counts the call. The rule tells its volume and is asked only if the call succeeded: a failed call moved nothing that
  // anyone could tell.
  template <class VolumeRule>
  void record(Op op, Place place, int result, VolumeRule const& rule) const {
    if (place.index == CommIndex::unknown) return count_unknown();
    count_sent_within(place.index, op, place.comm);
    count(place.index, op, volume_of(place, result, rule));
  }
  template <class VolumeRule>
  [[gnu::always_inline]] void record(Op op, GivenComm given, int, VolumeRule const& rule) const {
    if (CachedCall* const cached = recall(op, given)) [[likely]] count(*cached, op, given, rule);
    else count_failed(op, given.comm, given.result, elapsed_);
  }

  template <class VolumeRule>
  void record(Op op, Target target, int result, VolumeRule const& rule) const {
    if (target.place.index == CommIndex::unknown) return count_unknown();
    Volume const volume = volume_of(target.place, result, rule);
    count(target.place.index, op, volume);
    if (result == MPI_SUCCESS) messages::count_one_sided(target.place.index, target.win, target.rank, volume);
  }

  // Counts the call, which issues a request or, if it failed, does not.
  template <class VolumeRule>
  void issue(Op op, Place place, int result, RequestsOfCall request, VolumeRule const& rule) const {
    record(op, place, result, rule);
    if (result == MPI_SUCCESS && place.index != CommIndex::unknown) follow(request, {.key = key_of(place.index, op)});
  }
  template <class VolumeRule>
  [[gnu::always_inline]] void issue(Op op, GivenComm given, int, RequestsOfCall request, VolumeRule const& rule) const {
    CachedCall* const cached = recall(op, given);
    if (cached == nullptr) [[unlikely]] return count_failed(op, given.comm, given.result, elapsed_);
    if (!given.sends && state.options.internal) [[unlikely]]
      mpi_messages::issued(given.comm, cached->comm->index, op, false);
    count(*cached, op, given, rule);
    follow(request, {.key = key_of(cached->comm->index, op)});
  }

  template <class VolumeRule>
  void issue(Op op, Target target, int result, RequestsOfCall request, VolumeRule const& rule) const {
    record(op, target, result, rule);
    if (result == MPI_SUCCESS && target.place.index != CommIndex::unknown)
      follow(request, {.key = key_of(target.place.index, op)});
  }

  // A receive is issued: it is counted when it completes, with what is known now and what arrives.
  template <class VolumeRule>
  void post(Op op, Place place, int result, RequestsOfCall request, VolumeRule const& rule) const {
    if (result != MPI_SUCCESS || request.is_null(0)) return record(op, place, result, rule);
    if (place.index == CommIndex::unknown) return count_unknown();
    follow(request, posted(place.index, op, volume_of(place, result, rule)));
  }
  template <class VolumeRule>
  [[gnu::always_inline]] void post(Op op, GivenComm given, int, RequestsOfCall request, VolumeRule const& rule) const {
    CachedCall* const cached = recall(op, given);
    if (cached == nullptr) [[unlikely]] return count_failed(op, given.comm, given.result, elapsed_);
    if (request.is_null(0)) [[unlikely]] return count(*cached, op, given, rule);
    follow_pending(request, posted(cached->comm->index, op, rule(CommView{given.comm, *cached->comm})));
  }

  // A persistent request is made. The rule tells the volume of each start; receives: except what arrives.
  template <class VolumeRule>
  void prepare(Op op, GivenComm given, int result, RequestsOfCall request, bool receives, VolumeRule const& rule) const {
    Place const place = place_of(op, given);
    bool const is_collective = !given.sends && !receives;
    if (is_collective && result == MPI_SUCCESS && place.index != CommIndex::unknown && state.options.internal)
      mpi_messages::issued(given.comm, place.index, op, false);
    record(op, place, result, volume::none);
    if (result != MPI_SUCCESS || place.index == CommIndex::unknown) return;
    IssuedRequest prepared{.known = volume_of(place, result, rule),
                           .key = key_of(place.index, op),
                           .traits = IssuedRequest::persistent | (receives ? IssuedRequest::receiving : 0)};
    if (given.dest >= 0 && state.options.peers)
      prepared.set_destination(communicators::world_rank({given.comm, communicators::registry[place.index]}, given.dest));
    follow(request, prepared);
  }

  // A probe matched a message, which MPI_Mrecv or MPI_Imrecv will receive.
  void matched(MPI_Comm comm, MPI_Message message, void const* variable) const;

  // Counts a creation call on its parent and takes the new communicator in. With a request, the call only started.
  void create(communicators::CreationCall const& creation, Place parent, int result, MPI_Comm const* comm,
              RequestsOfCall request = nullptr) const;

  void create(communicators::CreationCall const& creation, GivenComm parent, int result, MPI_Comm const* comm,
              RequestsOfCall request = nullptr) const {
    create(creation, place_of(creation.op, parent), result, comm, request);
  }

  // Counts the release of a communicator, or of what was made from one.
  void release(Op op, CommIndex index) const {
    record(op, {MPI_COMM_NULL, index}, MPI_SUCCESS, volume::none);
  }

  // Counts the call, with a volume that is known, on a communicator that is known, or by a key that is known but for the size.
  [[gnu::always_inline]] void count(CommIndex comm, Op op, Volume volume) const { count(comm, op, volume, interval()); }
  template <class Duration>
  [[gnu::always_inline]] static void count(CommIndex comm, Op op, Volume volume, Duration took) {
    count_sent_meanwhile(comm, op);
    if (Shard* const shard = Shards::mine()) [[likely]]
      shard->add(key_of(comm, op).with(size_bin(volume.total())), op, volume, took);
  }
  static void count(RecordKey key, Volume volume, Ticks took) {
    count_sent_meanwhile(key.comm(), key.op());
    if (Shard* const shard = Shards::mine()) [[likely]] shard->add(key.with(size_bin(volume.total())), volume, took);
  }
  // The key of a call, but for its size, that counts now.
  static RecordKey key_of(CommIndex comm, Op op) { return RecordKey::of(comm, state.detail_of(op, SizeBin{})); }

 private:
  // Usually no call is known that this one could be nested in.
  [[gnu::always_inline]] static bool is_nested(void const* frame) {
    void const* const outermost = this_thread.outermost_call;
    if (outermost == nullptr) [[likely]] return false;
    return nesting::is_within(outermost, frame, __builtin_return_address(0));
  }
  // Where the stack was when the wrapper was called. __builtin_frame_address would take a register for the frame.
  [[gnu::always_inline]] static void const* frame() { return __builtin_dwarf_cfa(); }

  template <class VolumeRule>
  static Volume volume_of(Place place, int result, VolumeRule const& rule) {
    if (result != MPI_SUCCESS) return {};
    return rule(CommView{place.comm, communicators::registry[place.index]});
  }

  // The cached call of this operation on the communicator; nullptr if there is none since the call failed.
  [[gnu::always_inline]] static CachedCall* recall(Op op, GivenComm given) {
    Shard* const shard = this_thread.shard;
    if (given.result != MPI_SUCCESS || shard == nullptr) [[unlikely]] return recall_first(op, given.comm, given.result);
    CachedCall& cached = shard->calls.at(given.comm.key(), op);
    if (given.comm.is_of(*cached.comm)) [[likely]] return &cached;
    return remember(cached, given.comm);
  }
  // Off the path, and given single values: a GivenComm would be put together on the path.
  static CachedCall* recall_first(Op op, CommOfCall comm, int result);
  static CachedCall* remember(CachedCall& cached, CommOfCall comm);

  template <class VolumeRule>
  [[gnu::always_inline]] void count(CachedCall& cached, Op op, GivenComm given, VolumeRule const& rule) const {
    if (given.sends) count_sent_meanwhile(cached.comm->index, op);
    else count_sent_within(cached.comm->index, op, given.comm);
    CommView const view{given.comm, *cached.comm};
    Volume const volume = rule(view);
    std::uint32_t const detail = state.detail_of(op, size_bin(volume.total()));
    if (cached.detail == detail) [[likely]] cached.record->add(volume, interval());
    else if (!count_anew(cached, detail, volume, interval())) return;
    if (given.sends) messages::count(cached, given.comm, given.dest, volume);
  }
  [[gnu::always_inline]] static void count_sent_within(CommIndex comm, Op op, CommOfCall handle) {
    if (this_thread.internal_messages != 0) [[unlikely]] mpi_messages::count_sent(comm, op, handle);
  }
  [[gnu::always_inline]] static void count_sent_meanwhile(CommIndex comm, Op op) {
    if (this_thread.internal_messages != 0) [[unlikely]] mpi_messages::count_sent_meanwhile(comm, op);
  }
  // False if nothing is to be counted, or there is no room.
  static bool count_anew(CachedCall& cached, std::uint32_t detail, Volume volume, Interval interval);
  static void count_failed(Op op, MPI_Comm comm, int result, Ticks elapsed);
  static Place place_of(Op op, GivenComm given) {
    CachedCall const* const cached = recall(op, given);
    return {given.comm, cached != nullptr ? cached->comm->index : index_of_failed(given.comm, given.result)};
  }
  static CommIndex index_of_failed(MPI_Comm comm, int result);
  static IssuedRequest posted(CommIndex comm, Op op, Volume known) {
    return {.known = known, .key = key_of(comm, op), .traits = IssuedRequest::receiving};
  }
  static void count_unknown();
  [[gnu::always_inline]] void follow(RequestsOfCall issued, IssuedRequest request) const {
    if (!issued.is_null(0)) follow_pending(issued, request);  // null: MPICH's way to say that it is complete already
  }
  [[gnu::always_inline]] void follow_pending(RequestsOfCall issued, IssuedRequest request) const {
    request.issue_time = elapsed_;
    requests::insert(issued.key(0), issued.variable(0), request);
  }

  bool active_;
  Ticks start_;
  Ticks elapsed_;
};

// The status of a call whose result the profiler needs, also where the program ignores it.
class StatusOut {
 public:
  explicit StatusOut(MPI_Status* status) : status_(status == MPI_STATUS_IGNORE ? &own_ : status) {}
  MPI_Status* get() { return status_; }

 private:
  MPI_Status own_;
  MPI_Status* status_;
};

}  // namespace commprof
