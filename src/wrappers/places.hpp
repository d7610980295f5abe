// The communicators of calls that are given a window, a file, a message or a request instead of a communicator.
#pragma once

#include "comm_naming/comm_naming.hpp"
#include "wrappers/requests_of_call.hpp"

namespace commprof {

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
inline CountedComm at_window(MPI_Win win, int result) { return {Windows::of(win), result}; }
inline CountedComm at_file(MPI_File file, int result) { return {Files::of(file), result}; }
// The communicator of a matched message that a call has consumed; handle: the message before the call.
CountedComm at_message(MPI_Message handle, void const* variable, int result);
CountedComm at_request(RequestsOfCall request, int result);

// The window of a one-sided call, and its target.
struct Target : CountedComm {
  MPI_Win win;
  int rank;
};
inline Target at_target(MPI_Win win, int rank, int result) { return {at_window(win, result), win, rank}; }

}  // namespace commprof
