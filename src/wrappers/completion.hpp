// The Wait and Test family: which requests a call covers, which of them it completed, and on which communicators it counts.
//
// MPI overwrites handles as it completes requests, so they are remembered before the call. After it the call is counted once
// on each communicator that it covers, and its time is divided among them by their number of requests. A call without an
// active request that is known, and one on requests of no communicator, counts on MPI_COMM_SELF: it concerns this process
// alone.
#pragma once

#include "wrappers/call.hpp"

namespace commprof {

// What a call has put out, which a failed one may have had no room for.
inline int value_of(int const* out) { return out == nullptr ? MPI_UNDEFINED : *out; }
inline bool is_set(int const* flag) { return flag != nullptr && *flag != 0; }

class Completion {
 public:
  // statuses: what the program passed, MPI_STATUSES_IGNORE included.
  Completion(int count, RequestsOfCall requests, MPI_Status statuses[]);

  // What to pass on in place of the program's statuses.
  MPI_Status* statuses() const { return statuses_; }

  // Wait, Waitall, and Test, Testall if flag.
  void all(Call const& call, Op op, int result, bool flag = true);
  // Waitany, and Testany if flag. index: as the call returned it, MPI_UNDEFINED if no request was active.
  void any(Call const& call, Op op, int result, int index, bool flag = true);
  // Waitsome, Testsome. outcount: MPI_UNDEFINED if no request was active.
  void some(Call const& call, Op op, int result, int outcount, int const indices[]);
  // Request_get_status: completes nothing. Request_free, Cancel likewise, before what they do.
  void none(Call const& call, Op op);

  // The entry of a single request that MPI_Request_free has released.
  void released(Call const& call, Op op, int result);
  // A single request that MPI_Cancel has marked.
  void cancelled(Call const& call, Op op, int result);

 private:
  static constexpr int inline_room = 8;

  void complete(int index, MPI_Status const* status, int result);
  void look_up(int index);
  bool became_null(int index) const { return requests_.is_null(static_cast<std::size_t>(index)); }
  std::uint64_t variable(int index) const { return requests_.variable(static_cast<std::size_t>(index)); }
  // Takes in the requests of which the call's outcome says nothing.
  void cover_the_rest(int result);
  // Whether a request may have been completed, as far as its handle tells.
  bool may_be_complete(int index);
  // What the indices of a call count from: 1 in Fortran, but for MPIs whose mpi_f08 gives those of C.
  int first_index(int count, int const indices[]);
  void divide(Call const& call, Op op);

  int count_ = 0;
  RequestsOfCall requests_;
  MPI_Request* handles_ = own_handles_;
  CommIndex* comms_ = own_comms_;
  MPI_Status* statuses_ = own_statuses_;
  MPI_Request own_handles_[inline_room];
  CommIndex own_comms_[inline_room];
  MPI_Status own_statuses_[inline_room];
};

}  // namespace commprof
