// The communicator that a call was given, with what the call says of messages.
#pragma once

#include "comm_naming/comm_naming.hpp"
#include "mpi/mpi.hpp"

namespace commprof {

// The communicator that a call was given. Its record is looked up when the call counts.
struct GivenComm {
  CommOfCall comm;
  int result;
  int dest = nobody;   // of the message that is sent
  bool sends = false;  // a compile-time constant after inlining, like the other flags
  bool is_sampled = false;
  bool takes = false;    // receives a message, or matches one
  bool awaits = false;   // takes, or probes
  int tag = no_message;  // of the message that is sent
  int source = nobody;   // of a receive that is posted
  int source_tag = no_message;
  MPI_Status const* status = nullptr;  // of a message that has come

  static constexpr int nobody = -1000, no_message = -1000;  // values that no MPI has for a rank or a tag
  [[gnu::always_inline]] GivenComm to(int rank, int with_tag = no_message) const {
    GivenComm given = *this;
    given.dest = rank;
    given.sends = true;
    given.tag = with_tag;
    return given;
  }
  [[gnu::always_inline]] GivenComm sampled() const {
    GivenComm given = *this;
    given.is_sampled = true;
    return given;
  }
  // A receive that is posted.
  [[gnu::always_inline]] GivenComm from(int rank, int with_tag = no_message) const {
    GivenComm given = *this;
    given.source = rank;
    given.source_tag = with_tag;
    return given;
  }
  // A message that has come.
  [[gnu::always_inline]] GivenComm received(MPI_Status const* of) const {
    GivenComm given = probed(of);
    given.takes = true;
    return given;
  }
  [[gnu::always_inline]] GivenComm probed(MPI_Status const* of) const {
    GivenComm given = *this;
    given.awaits = true;
    given.status = of;
    return given;
  }
};

}  // namespace commprof
