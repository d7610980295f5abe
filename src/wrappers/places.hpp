// What a call was given: communicators, windows, files, messages and requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "comm_naming/comm_naming.hpp"
#include "mpi/mpi.hpp"
#include "request_table/requests.hpp"

namespace commprof {

// The requests that a call was given, in the binding it was called through: handles of C or integers of Fortran.
class RequestsOfCall {
 public:
  RequestsOfCall(MPI_Request const* requests) : first_(requests), is_fortran_(false) {  // NOLINT: stands for the array
    if (requests::keys_are_integers()) [[unlikely]]
      if (requests != nullptr) requests::use_handles();
  }
  static RequestsOfCall of_fortran(void const* requests) { return {requests, true}; }
  // Restores an object of which first() was kept.
  static RequestsOfCall known(void const* first, bool is_fortran) { return {first, is_fortran}; }
  void const* first() const { return first_; }

  explicit operator bool() const { return first_ != nullptr; }

  // The table's key of request i, valid until the request completes. null_key(): the key of MPI_REQUEST_NULL.
  [[gnu::always_inline]] RequestKey key(std::size_t i) const {
    return is_fortran_ ? requests::key_of_integer(integers()[i]) : requests::key_of(handles()[i]);
  }
  RequestKey null_key() const {
    return is_fortran_ ? requests::null_key_of_integers() : requests::key_of(MPI_REQUEST_NULL);
  }

  MPI_Request handle(std::size_t i) const { return is_fortran_ ? PMPI_Request_f2c(integers()[i]) : handles()[i]; }
  bool is_null(std::size_t i) const {
    return is_fortran_ ? integers()[i] == requests::null_in_fortran() : handles()[i] == MPI_REQUEST_NULL;
  }
  // Whether MPI has taken the request back in a call that failed. Open MPI's Fortran returns no requests then.
  bool is_taken_back(std::size_t i) const {
    bool const may_be_stale = !std::is_integral_v<MPI_Request> && is_fortran_;
    return is_null(i) || (may_be_stale && PMPI_Request_f2c(integers()[i]) == MPI_Request{});
  }
  // The address of the program's variable.
  std::uint64_t variable(std::size_t i) const {
    return is_fortran_ ? requests::variable_of(integers() + i) : requests::variable_of(handles() + i);
  }

 private:
  RequestsOfCall(void const* first, bool is_fortran) : first_(first), is_fortran_(is_fortran) {}
  MPI_Request const* handles() const { return static_cast<MPI_Request const*>(first_); }
  MPI_Fint const* integers() const { return static_cast<MPI_Fint const*>(first_); }

  void const* first_;
  bool is_fortran_;
};

// The communicator that a call was given, with what the call says of messages. Its record is looked up when the call
// counts.
struct GivenComm {
  CommOfCall comm;
  int result;
  int dest = nobody;     // of the message that is sent
  bool sends = false;    // a compile-time constant after inlining, like the other flags
  bool takes = false;    // receives a message, or matches one
  bool awaits = false;   // takes, or probes
  bool seeks = false;    // probes, but does not wait
  int tag = no_message;  // of the message that is sent, or is sought
  int source = nobody;   // of a receive that is posted, or of the message that is sought
  int source_tag = no_message;
  int root = nobody;                   // of a collective call that has one
  MPI_Status const* status = nullptr;  // of a message that has come

  static constexpr int nobody = -1000, no_message = -1000;  // values that no MPI has for a rank or a tag
  [[gnu::always_inline]] GivenComm to(int rank, int with_tag = no_message) const {
    GivenComm given = *this;
    given.dest = rank;
    given.sends = true;
    given.tag = with_tag;
    return given;
  }
  [[gnu::always_inline]] GivenComm rooted(int rank) const {
    GivenComm given = *this;
    given.root = rank;
    return given;
  }
  // A receive that is posted.
  [[gnu::always_inline]] GivenComm from(int rank, int with_tag = no_message) const {
    GivenComm given = *this;
    given.source = rank;
    given.source_tag = with_tag;
    return given;
  }
  // A message that a probe looks for.
  [[gnu::always_inline]] GivenComm sought(int from, int with_tag) const {
    GivenComm given = *this;
    given.seeks = true;
    given.source = from;
    given.tag = with_tag;
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

// A communicator by its record, and its handle if the call has it.
struct CountedComm {
  CommIndex index;
  int result;
  MPI_Comm comm = MPI_COMM_NULL;

  bool is_known() const { return index != CommIndex::unknown; }
  bool succeeded() const { return result == MPI_SUCCESS; }
};
inline CountedComm at_world(int result) { return {CommIndex::world, result}; }
inline CountedComm at_self(int result) { return {CommIndex::self, result, MPI_COMM_SELF}; }
inline CountedComm at_window(MPI_Win win, int result) { return {Windows::of(win, result), result}; }
inline CountedComm at_file(MPI_File file, int result) { return {Files::of(file, result), result}; }
// The communicator of a matched message that a call is about to consume. It is forgotten before, because another thread
// may match a message with the same handle before the call returns. variable: the program's, which has the handle.
class TakenMessage {
 public:
  TakenMessage(MPI_Message handle, void const* variable);
  // A call that has failed leaves the message to another one.
  CountedComm at(int result) const;

 private:
  std::uint64_t key_;
  CommIndex comm_;
};
CountedComm at_request(RequestsOfCall request, int result);

// The window of a one-sided call, and its target.
struct Target : CountedComm {
  MPI_Win win;
  int rank;
};
inline Target at_target(MPI_Win win, int rank, int result) { return {at_window(win, result), win, rank}; }

}  // namespace commprof
