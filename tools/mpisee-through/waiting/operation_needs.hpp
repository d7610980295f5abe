#pragma once

#include <cstdint>
#include <string_view>

#include "ops.hpp"

namespace mpisee_through {

// What an operation waits for, according to the MPI standard. An MPI library may return earlier or later.
enum class Needs : std::uint8_t {
  nobody,        // for nobody, or unknown
  messages,      // for the processes that it sends to and receives from
  requests,      // for requests of its process
  everybody,     // for all members
  some,          // for some members; the MPI library decides which
  data_of_root,  // the root waits for some, others for the root
  data_of_all,   // the root waits for all, others for some
  end_of_all,    // MPI_Finalize
};

struct OperationFacts {
  Needs needs = Needs::nobody;
  bool has_comm = false, has_dest = false, has_source = false, has_root = false;  // parameters
  bool sends = false, receives = false;                                           // a message
  // All members call it, and make all calls of this kind on a communicator in the same order.
  bool is_ordered = false;
};

[[nodiscard]] OperationFacts const& facts_of(commprof::Op op);
[[nodiscard]] std::string_view name_of(commprof::Op op);  // without MPI_

}  // namespace mpisee_through
