// Persistent requests: a call of MPI_Start or MPI_Startall counts once on each communicator of the requests that it
// starts, with their bytes and a share of its time. See started_calls.hpp for those that start receives.
#pragma once

#include "wrappers/counting.hpp"
#include "wrappers/requests_of_call.hpp"

namespace commprof {

// The requests of MPI_Start or MPI_Startall. They are looked up by their keys from before the call, since a call can
// change the handle: Open MPI does so for a persistent buffered send whose previous data are still in transit.
class Starting {
 public:
  Starting(int count, RequestsOfCall requests);
  Starting(Starting const&) = delete;
  Starting& operator=(Starting const&) = delete;

  void started(Call const& call, Op op, int result) const;

 private:
  // Calls visit(table, entry) for a request, if it is known.
  template <class Visitor>
  void visit(std::size_t i, Visitor&& visitor) const {
    requests::with_request(keys_[i], requests_.variable(i), visitor);
  }
  void follow_new_keys() const;

  RequestsOfCall requests_;
  std::size_t count_;
  RequestKey own_key_;
  RequestKey* keys_ = &own_key_;
};

// A persistent receive that was started has completed, and `arrived` bytes have arrived. The caller holds the lock of
// the request's table.
void complete_started(PendingRequest& request, std::uint64_t arrived);

}  // namespace commprof
