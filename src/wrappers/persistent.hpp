// Persistent requests: a call of MPI_Start or MPI_Startall counts once on each communicator of the requests that it
// starts, with their bytes and a share of its time. See started_calls.hpp for those that start receives.
#pragma once

#include <compare>

#include "wrappers/call_memory.hpp"
#include "wrappers/counting.hpp"
#include "wrappers/requests_of_call.hpp"

namespace commprof {

// The requests of MPI_Start or MPI_Startall. They are looked up by their keys from before the call, since a call can
// change the handle: Open MPI does so for a persistent buffered send whose previous data are still in transit.
class Starting {
 public:
  [[gnu::always_inline]] Starting(int count, RequestsOfCall requests)
      : requests_(requests),
        count_(!requests || count < 0 ? 0 : static_cast<std::size_t>(count)),
        memory_(count_ * (sizeof(RequestKey) + sizeof(Started)), nullptr) {
    if (!memory_) [[unlikely]]
      count_ = 0;
    for (std::size_t i = 0; i < count_; ++i) keys()[i] = requests.key(i);
  }
  Starting(Starting const&) = delete;
  Starting& operator=(Starting const&) = delete;

  void started(Call const& call, Op op, int result) const;

 private:
  // A request that the call was given.
  struct Started {
    CommIndex comm;
    std::uint32_t number;  // index in the call

    auto operator<=>(Started const&) const = default;
    friend CommIndex comm_of(Started const& one) { return one.comm; }
  };

  RequestKey* keys() const { return reinterpret_cast<RequestKey*>(all() + count_); }
  Started* all() const { return memory_->as<Started>(); }
  // Calls visit(table, entry) for a request, if it is known.
  template <class Visitor>
  void visit(std::size_t i, Visitor&& visitor) const {
    requests::with_request(keys()[i], requests_.variable(i), visitor);
  }
  void count(Call const& call, Op op, CommIndex comm, Started const* first, Started const* last, Ticks share,
             int result) const;
  void follow_new_keys() const;

  RequestsOfCall requests_;
  std::size_t count_;
  HeldMemory memory_;
};

// A persistent receive that was started has completed, and `arrived` bytes have arrived. The caller holds the lock of
// the request's table.
void complete_started(PendingRequest& request, std::uint64_t arrived);

}  // namespace commprof
