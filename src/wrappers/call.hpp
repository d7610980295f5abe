// What the generated wrappers are made of: stamp, forward, stamp, record.
//
// A Call lives as long as the MPI call it stands for. It is true for the outermost call of a thread only: an MPI that builds
// one call upon another, or a callback that calls MPI, is counted once.
#pragma once

#include "comm_naming/communicators.hpp"
#include "comm_naming/files.hpp"
#include "comm_naming/windows.hpp"
#include "ops.hpp"
#include "profile/clock.hpp"
#include "profile/counters.hpp"
#include "profile/state.hpp"
#include "request_table/requests.hpp"
#include "wrappers/requests_of_call.hpp"
#include "wrappers/volume.hpp"

namespace commprof {

// Where a call counts: the record, and the communicator's handle where the call has it.
struct Place {
  MPI_Comm comm;
  CommIndex index;
};

// The place of a call on a communicator, which a failed call may not have had.
inline Place at_comm(MPI_Comm comm, int result) {
  return {comm, result == MPI_SUCCESS ? communicators::of(comm) : communicators::of_doubtful(comm)};
}
inline Place at_world() { return {MPI_COMM_NULL, CommIndex::world}; }
inline Place at_self() { return {MPI_COMM_SELF, CommIndex::self}; }
inline Place at_window(MPI_Win win, int result) { return {MPI_COMM_NULL, windows::of(win, result)}; }
inline Place at_file(MPI_File file) { return {MPI_COMM_NULL, files::of(file)}; }
// The place of a matched message that a call has consumed; handle: the message before the call.
Place at_message(MPI_Message handle, void const* variable, int result);
Place at_request(RequestsOfCall request);

class Call {
 public:
  Call() {
    if (!state.is_tracking() || is_nested()) return;
    outermost_ = this;
    active_ = true;
    start_ = clock::now();
  }
  Call(Call const&) = delete;
  Call& operator=(Call const&) = delete;
  ~Call() {
    if (active_) outermost_ = nullptr;
  }

  explicit operator bool() const { return active_; }

  void stop() { elapsed_ = clock::now() - start_; }
  Ticks elapsed() const { return elapsed_; }

  // Counts the call. The rule tells its volume and is asked only if the call succeeded: a failed call moved nothing that
  // anyone could tell.
  template <class VolumeRule>
  void record(Op op, Place place, int result, VolumeRule const& rule) const {
    if (place.index == CommIndex::unknown) count_unknown();
    else if (state.is_counting()) count(place.index, op, volume_of(place, result, rule));
  }

  // Counts the call, which issues a request or, if it failed, does not.
  template <class VolumeRule>
  void issue(Op op, Place place, int result, RequestsOfCall request, VolumeRule const& rule) const {
    record(op, place, result, rule);
    if (result == MPI_SUCCESS) follow(request, {.comm = place.index, .op = op, .counted = state.is_counting()});
  }

  // A receive is issued: it is counted when it completes, with what is known now and what arrives.
  template <class VolumeRule>
  void post(Op op, Place place, int result, RequestsOfCall request, VolumeRule const& rule) const {
    if (result != MPI_SUCCESS || request.is_null(0)) return record(op, place, result, rule);
    if (place.index == CommIndex::unknown) return count_unknown();
    follow(request,
           {.known = volume_of(place, result, rule), .comm = place.index, .op = op, .receives = true, .counted = state.is_counting()});
  }

  // A persistent request is made. The rule tells the volume of each start; receives: except what arrives.
  template <class VolumeRule>
  void prepare(Op op, Place place, int result, RequestsOfCall request, bool receives, VolumeRule const& rule) const {
    record(op, place, result, volume::none);
    if (result != MPI_SUCCESS || place.index == CommIndex::unknown) return;
    follow(request,
           {.known = volume_of(place, result, rule), .comm = place.index, .op = op, .receives = receives, .persistent = true});
  }

  // A probe matched a message, which MPI_Mrecv or MPI_Imrecv will receive.
  void matched(MPI_Comm comm, MPI_Message message, void const* variable) const;

  // Counts a creation call on its parent and takes the new communicator in. With a request, the call only started.
  void create(communicators::CreationCall const& creation, Place parent, int result, MPI_Comm const* comm,
              RequestsOfCall request = nullptr) const;

  // Counts the release of a communicator, or of what was made from one.
  void release(Op op, CommIndex index) const { record(op, {MPI_COMM_NULL, index}, MPI_SUCCESS, volume::none); }

  // Counts the call, with a volume that is known, on a record that is known.
  void count(CommIndex comm, Op op, Volume volume) const { count(comm, state.current_region(), op, volume, elapsed_); }
  static void count(CommIndex comm, RegionIndex region, Op op, Volume volume, Ticks elapsed);

 private:
  // The stack grows down, so a nested call's object lies below the outermost one. One that lies above means that the
  // outermost call was left by longjmp or an exception from an error handler.
  bool is_nested() const { return outermost_ != nullptr && this < outermost_; }

  template <class VolumeRule>
  static Volume volume_of(Place place, int result, VolumeRule const& rule) {
    if (result != MPI_SUCCESS) return {};
    return rule(CommView{place.comm, place.index, communicators::registry[place.index]});
  }
  static void count_unknown();
  void follow(RequestsOfCall issued, PendingRequest request) const;

  static thread_local Call const* outermost_;
  bool active_ = false;
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
