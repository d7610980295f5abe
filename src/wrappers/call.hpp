// What the generated wrappers are made of: stamp, forward, stamp, record.
//
// A Call lives as long as the MPI call it stands for. It is true for the outermost call of a thread only: an MPI that builds
// one call upon another, or a callback that calls MPI, is counted once.
#pragma once

#include "comm_naming/communicators.hpp"
#include "ops.hpp"
#include "profile/clock.hpp"
#include "profile/counters.hpp"
#include "profile/state.hpp"
#include "request_table/requests.hpp"
#include "wrappers/volume.hpp"

namespace commprof {

class Call {
 public:
  Call() {
    if (!state.tracking || is_nested()) return;
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

  // The call's communicator, which a failed call may not have had.
  static CommIndex comm_of(MPI_Comm comm, int result) {
    return result == MPI_SUCCESS ? communicators::of(comm) : communicators::of_doubtful(comm);
  }

  // Counts the call. The rule tells its volume and is asked only if the call succeeded: a failed call moved nothing that
  // anyone could tell.
  template <class VolumeRule>
  void record(Op op, MPI_Comm comm, int result, VolumeRule const& rule) const {
    if (state.is_counting()) count(comm_of(comm, result), comm, op, result, rule);
  }

  // Counts the call, which issues a request or, if it failed, does not.
  template <class VolumeRule>
  void issue(Op op, MPI_Comm comm, int result, MPI_Request const* request, VolumeRule const& rule) const {
    CommIndex const index = comm_of(comm, result);
    bool const counting = state.is_counting();
    Volume volume;
    if (counting) volume = count(index, comm, op, result, rule);
    if (result == MPI_SUCCESS) follow(*request, request, {.bytes = volume.sent, .comm = index, .op = op, .counted = counting});
  }

  // A receive is issued: it is counted when it completes.
  void post_receive(Op op, CommIndex index, int result, MPI_Request const* request) const;
  void post_receive(Op op, MPI_Comm comm, int result, MPI_Request const* request) const {
    post_receive(op, comm_of(comm, result), result, request);
  }

  // A probe matched a message, which MPI_Mrecv or MPI_Imrecv will receive.
  void matched(MPI_Comm comm, MPI_Message const* message) const;

  // The communicator of a matched message that a call has consumed; handle: the message before the call.
  static CommIndex comm_of_message(MPI_Message handle, MPI_Message const* variable, int result);

  // Counts MPI_Mrecv.
  void receive_message(Op op, CommIndex index, int result, MPI_Status const* status) const;

  // Counts a creation call on its parent and takes the new communicator in. With a request, the call only started.
  void create(communicators::CreationCall const& creation, MPI_Comm parent, int result, MPI_Comm const* comm,
              MPI_Request const* request = nullptr) const;

  // Counts the release of a communicator on its record.
  void release(Op op, CommIndex index) const;

  // Counts the call, with a volume that is known, on a record that is known.
  void count(CommIndex comm, Op op, Volume volume) const { count(comm, state.current_region(), op, volume, elapsed_); }
  static void count(CommIndex comm, RegionIndex region, Op op, Volume volume, Ticks elapsed);

 private:
  // The stack grows down, so a nested call's object lies below the outermost one. One that lies above means that the
  // outermost call was left by longjmp or an exception from an error handler.
  bool is_nested() const { return outermost_ != nullptr && this < outermost_; }

  template <class VolumeRule>
  Volume count(CommIndex index, MPI_Comm comm, Op op, int result, VolumeRule const& rule) const {
    if (index == CommIndex::unknown) {
      count_unknown();
      return {};
    }
    Volume const volume =
        result == MPI_SUCCESS ? rule(CommView{comm, index, communicators::registry[index]}) : Volume{};
    count(index, op, volume);
    return volume;
  }
  static void count_unknown();
  void follow(MPI_Request handle, MPI_Request const* variable, PendingRequest request) const;

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
