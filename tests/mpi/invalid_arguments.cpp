// Calls with invalid communicators and pointers: an MPI that checks its arguments returns an error, and the profiler
// must not touch arguments that it refused. Writes what each call returns, as errors.cpp does.
#include <fstream>
#include <string>

#include "profile_test.hpp"

using profile_test::ProfileTest;

namespace {

int handler_calls = 0;

void handle(MPI_Comm*, int*, ...) { ++handler_calls; }

struct Program {
  ProfileTest& test;
  std::uint64_t unknown = 0;
  std::string told{};

  void tell(char const* what, int code) {
    int error_class = -1;
    MPI_Error_class(code, &error_class);
    told += std::string(what) + ": " + std::to_string(error_class) + ", " + std::to_string(handler_calls) +
            " handler calls\n";
    test.require(code != MPI_SUCCESS, std::string(what) + " succeeds");
  }
  // The call's communicator is invalid: the call counts as dropped.
  void tell_unknown(char const* what, int code) {
    ++unknown;
    tell(what, code);
  }
  void tell_counted(char const* comm, char const* op, char const* what, int code) {
    test.expect(comm, op, {1, 0, 0});
    tell(what, code);
  }

  void no_communicator() {
    int data[10] = {}, dims[] = {1};
    MPI_Comm null = MPI_COMM_NULL, comm;
    MPI_Request request;
    [[maybe_unused]] MPI_Message message = MPI_MESSAGE_NULL;
    tell_unknown("Send", MPI_Send(data, 1, MPI_INT, 0, 0, null));
    tell_unknown("Recv", MPI_Recv(data, 1, MPI_INT, 0, 0, null, MPI_STATUS_IGNORE));
    tell_unknown("Isend", MPI_Isend(data, 1, MPI_INT, 0, 0, null, &request));
    tell_unknown("Irecv", MPI_Irecv(data, 1, MPI_INT, 0, 0, null, &request));
    tell_unknown("Barrier", MPI_Barrier(null));
    tell_unknown("Bcast", MPI_Bcast(data, 1, MPI_INT, 0, null));
    tell_unknown("Gatherv", MPI_Gatherv(data, 1, MPI_INT, nullptr, nullptr, nullptr, MPI_INT, 0, null));
    tell_unknown("Iallreduce", MPI_Iallreduce(data, data + 1, 1, MPI_INT, MPI_SUM, null, &request));
    tell_unknown("Neighbor_alltoallv",
                 MPI_Neighbor_alltoallv(data, nullptr, nullptr, MPI_INT, data, nullptr, nullptr, MPI_INT, null));
    tell_unknown("Comm_dup", MPI_Comm_dup(null, &comm));
    tell_unknown("Comm_idup", MPI_Comm_idup(null, &comm, &request));
    tell_unknown("Comm_split", MPI_Comm_split(null, 0, 0, &comm));
    tell_unknown("Comm_create_group", MPI_Comm_create_group(null, MPI_GROUP_EMPTY, 0, &comm));
    tell_unknown("Cart_create", MPI_Cart_create(null, 1, dims, dims, 0, &comm));
    tell_unknown("Comm_free", MPI_Comm_free(&null));
    tell_unknown("Comm_disconnect", MPI_Comm_disconnect(&null));
#ifndef OPEN_MPI  // Open MPI has no error handler for an invalid message, and aborts
    tell_unknown("Mrecv", MPI_Mrecv(data, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
    tell_unknown("Imrecv", MPI_Imrecv(data, 1, MPI_INT, &message, &request));
#endif
    tell("Comm_set_name", MPI_Comm_set_name(null, "nobody"));
  }

  void no_pointer() {
    int flag = 0, index = 0, outcount = 0, indices[2];
    MPI_Request requests[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status* const ignored = MPI_STATUSES_IGNORE;
    tell_counted("SELF", "Wait", "Wait, no request", MPI_Wait(nullptr, MPI_STATUS_IGNORE));
    tell_counted("SELF", "Test", "Test, no request", MPI_Test(nullptr, &flag, MPI_STATUS_IGNORE));
    tell_counted("SELF", "Test", "Test, no flag", MPI_Test(requests, nullptr, MPI_STATUS_IGNORE));
    tell_counted("SELF", "Waitall", "Waitall, no requests", MPI_Waitall(2, nullptr, ignored));
    tell_counted("SELF", "Waitall", "Waitall, count", MPI_Waitall(-1, requests, ignored));
    tell_counted("SELF", "Testall", "Testall, no requests", MPI_Testall(2, nullptr, &flag, ignored));
    tell_counted("SELF", "Testall", "Testall, no flag", MPI_Testall(2, requests, nullptr, ignored));
    tell_counted("SELF", "Waitany", "Waitany, no requests", MPI_Waitany(2, nullptr, &index, MPI_STATUS_IGNORE));
    tell_counted("SELF", "Waitany", "Waitany, no index", MPI_Waitany(2, requests, nullptr, MPI_STATUS_IGNORE));
    tell_counted("SELF", "Testany", "Testany, no flag", MPI_Testany(2, requests, &index, nullptr, MPI_STATUS_IGNORE));
    tell_counted("SELF", "Testany", "Testany, no index", MPI_Testany(2, requests, nullptr, &flag, MPI_STATUS_IGNORE));
    tell_counted("SELF", "Waitsome", "Waitsome, no requests", MPI_Waitsome(2, nullptr, &outcount, indices, ignored));
    tell_counted("SELF", "Waitsome", "Waitsome, no outcount", MPI_Waitsome(2, requests, nullptr, indices, ignored));
    tell_counted("SELF", "Testsome", "Testsome, no outcount", MPI_Testsome(2, requests, nullptr, indices, ignored));
    tell_counted("SELF", "Request_free", "Request_free, no request", MPI_Request_free(nullptr));
    tell_counted("W", "Isend", "Isend, no request", MPI_Isend(&flag, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, nullptr));
    tell_counted("W", "Comm_dup", "Comm_dup, no communicator", MPI_Comm_dup(MPI_COMM_WORLD, nullptr));
#ifndef OPEN_MPI  // Open MPI does not check these
    tell_unknown("Comm_free, no communicator", MPI_Comm_free(nullptr));
    tell_counted("W", "Iprobe", "Iprobe, no flag", MPI_Iprobe(0, 0, MPI_COMM_WORLD, nullptr, MPI_STATUS_IGNORE));
    tell_unknown("Mrecv, no message", MPI_Mrecv(&flag, 1, MPI_INT, nullptr, MPI_STATUS_IGNORE));
#endif
  }

  // A predefined communicator that may not be freed still works after the attempt.
  void the_world() {
    MPI_Comm world = MPI_COMM_WORLD;
    tell_counted("W", "Comm_free", "Comm_free of the world", MPI_Comm_free(&world));
    MPI_Barrier(MPI_COMM_WORLD);
    test.expect("W", "Barrier", {1, 0, 0});
    test.expect_communicator("W", {{"freed", "0"}});
  }
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Errhandler_free(&handler);
  Program program{test};
  program.no_communicator();
  program.no_pointer();
  program.the_world();
  test.expect_dropped("calls_on_unknown_communicators", program.unknown * static_cast<std::uint64_t>(test.ranks));
  if (argc > 1) std::ofstream(argv[1] + ("." + std::to_string(test.rank))) << program.told;
  return test.finish();
}
