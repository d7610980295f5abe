// The pending requests of a process: where they are stored, and all the calls that complete them.
//
// They stay pending over many steps, are moved to other variables and completed in any order. Handles that stand for
// several requests at once can be told apart only by the variable that the request was issued into (docs/design.md,
// Requests), so requests that may have such a handle stay where they are, unless all are on one communicator, where it
// makes no difference.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "random.hpp"
#include "tally.hpp"

namespace torture {

// What MPI still reads or writes.
using Kept = std::shared_ptr<void const>;

struct Pending {
  std::string comm;
  Kept kept;
  bool has_own_handle = false;  // that no other request has at the same time
  bool is_send = false;         // which the program may free
  bool is_persistent = false;
  bool is_collective = false;
  bool is_active = true;
  int id = 0;
};

class Requests {
 public:
  Requests(Random& own, Tally& tally, bool one_communicator)
      : own_(own), tally_(tally), one_communicator_(one_communicator) {
    handles_.fill(MPI_REQUEST_NULL);
  }

  bool is_on_one_communicator() const { return one_communicator_; }

  // Makes room for so many more: what was issued in earlier steps is completed if need be.
  void reserve(std::size_t number);

  // A variable without a request, and what was issued into it. Returns its number for later.
  MPI_Request* variable();
  int put(MPI_Request const* variable, Pending request);

  // The variable in which a request now is. Only persistent ones are sure to be there still.
  MPI_Request* find(int id);
  void start(int id) { at(id).is_active = true; }

  // Some calls of any kind that may complete something, and some moves.
  void churn();
  void finish(int id);
  void finish_on(std::string const& comm);
  void finish_collectives_on(std::string const& comm);
  void finish_all();
  void release(int id);  // a persistent request

 private:
  static constexpr std::size_t room = 64;
  enum class Call { wait, waitall, waitany, waitsome, test, testall, testany, testsome, get_status };
  struct Outcome {
    bool found = true;           // or nothing, by a call that polls
    std::vector<int> completed;  // indices
  };

  Pending& at(int id);
  std::size_t place_of(int id) const;
  bool is_active(int id) const;
  bool can_move(std::size_t place) const;
  void move_one();
  void free_a_send();
  void complete_copies();
  void complete_in_place(std::size_t first, std::size_t count, Call call);
  void complete(std::vector<std::size_t> const& places, MPI_Request* handles, Call call);
  Outcome make(Call call, int count, MPI_Request* handles);
  void count(char const* op, std::vector<std::size_t> const& places);

  Random& own_;
  Tally& tally_;
  bool one_communicator_;
  std::array<MPI_Request, room> handles_;
  std::array<std::optional<Pending>, room> pending_;
  std::vector<Kept> kept_for_good_;  // of requests that were freed
  int last_id_ = 0;
};

}  // namespace torture
