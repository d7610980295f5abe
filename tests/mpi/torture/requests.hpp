// The pending requests of a process: where they are stored, and all calls that complete them.
//
// Requests stay pending over many steps, are moved to other variables and completed in any order. Requests that share a
// handle can be distinguished only by the variable that they were issued into (docs/design.md, Requests). So requests
// that may share a handle are not moved, unless all are on one communicator, where it makes no difference.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "random.hpp"

namespace torture {

// Buffers that MPI still reads or writes.
using Kept = std::shared_ptr<void const>;

struct Pending {
  std::string comm;
  Kept kept;
  bool has_own_handle = false;  // no other pending request has the handle
  bool is_send = false;         // the program may free it
  bool is_persistent = false;
  bool is_collective = false;
  bool is_active = true;
  int id = 0;
};

class Requests {
 public:
  Requests(Random& own, bool one_communicator) : own_(own), one_communicator_(one_communicator) {
    handles_.fill(MPI_REQUEST_NULL);
  }

  bool is_on_one_communicator() const { return one_communicator_; }

  // Makes room for `number` more requests; completes older ones if necessary.
  void reserve(std::size_t number);

  // A free variable, and the number of the request issued into it, for later.
  MPI_Request* variable();
  int put(MPI_Request const* variable, Pending request);

  // The variable in which a request is now. Only persistent requests are certain to be there.
  MPI_Request* find(int id);
  void start(int id) { at(id).is_active = true; }

  // Makes some calls of any kind that may complete requests, and some moves.
  void churn();
  void finish(int id);
  void finish_on(std::string const& comm);
  void finish_collectives_on(std::string const& comm);
  void finish_all();
  void release(int id);  // for a persistent request

 private:
  static constexpr std::size_t room = 64;
  enum class Call { wait, waitall, waitany, waitsome, test, testall, testany, testsome, get_status };

  Pending& at(int id);
  std::size_t place_of(int id) const;
  bool is_active(int id) const;
  bool can_move(std::size_t place) const;
  void move_one();
  void free_a_send();
  void complete_copies();
  void complete_in_place(std::size_t first, std::size_t count, Call call);
  void complete(std::vector<std::size_t> const& places, MPI_Request* handles, Call call);
  // Returns the indices of the requests that it has completed.
  std::vector<int> make(Call call, int count, MPI_Request* handles);

  Random& own_;
  bool one_communicator_;
  std::array<MPI_Request, room> handles_;
  std::array<std::optional<Pending>, room> pending_;
  std::vector<Kept> kept_for_good_;  // buffers of freed requests
  int last_id_ = 0;
};

}  // namespace torture
