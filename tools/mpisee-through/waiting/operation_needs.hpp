#pragma once

#include <cstdint>
#include <string_view>

#include "ops.hpp"

namespace mpisee_through {

// What an operation has to wait for, by the MPI standard. An MPI may return earlier or later.
enum class Needs : std::uint8_t {
  nobody,        // for nobody, or unknown
  messages,      // for the processes that it sends to and receives from
  requests,      // for requests of its process
  everybody,     // for all members
  some,          // for members: which ones, the MPI decides
  data_of_root,  // as the root for some, else for the root
  data_of_all,   // as the root for all, else for some
  end_of_all,    // MPI_Finalize
};

struct OperationFacts {
  Needs needs = Needs::nobody;
  bool has_comm = false, has_dest = false, has_source = false, has_root = false;  // parameters
  bool sends = false, receives = false;                                           // a message
  // All members call it, and all make the calls of this kind on a communicator in the same order.
  bool is_ordered = false;
};

[[nodiscard]] OperationFacts const& facts_of(commprof::Op op);
[[nodiscard]] std::string_view name_of(commprof::Op op);  // without MPI_

}  // namespace mpisee_through
