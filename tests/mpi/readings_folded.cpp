// Readings of communicators that share a record: calls are those of all of them, messages those to the members of the
// requested one. COMMPROF_MAX_COMMS=1: the second duplicate shares its record with all later ones.
#include <mpi.h>
// After mpi.h, which it does not include in C++.
#include <commprof/commprof.h>

#include <string>
#include <vector>

#include "profile_test.hpp"

using profile_test::ProfileTest;

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  constexpr int comms = 4, own = 1, sent_by_each = 3;
  MPI_Comm comm[comms];
  for (MPI_Comm& made : comm) MPI_Comm_dup(MPI_COMM_WORLD, &made);
  test.expect("W", "Comm_dup", {comms, 0, 0});
  test.expect_folded("communicators", static_cast<std::uint64_t>(comms - own) * static_cast<std::uint64_t>(test.ranks));
  int const right = (test.rank + 1) % test.ranks, left = (test.rank + test.ranks - 1) % test.ranks;
  for (int i = own; i < comms; ++i) {
    for (int times = 0; times < sent_by_each; ++times) {
      int out = 0, in = 0;
      MPI_Sendrecv(&out, 1, MPI_INT, right, 0, &in, 1, MPI_INT, left, 0, comm[i], MPI_STATUS_IGNORE);
      test.expect("W_d*", "Sendrecv", {1, sizeof out, sizeof in});
    }
  }
  constexpr unsigned long long sum = (comms - own) * sent_by_each;
  for (int i = own; i < comms; ++i) {
    commprof_numbers numbers{};
    std::vector<unsigned long long> messages(static_cast<std::size_t>(test.ranks)), expected(messages);
    expected[static_cast<std::size_t>(right)] = sum;
    char name[COMMPROF_MAX_NAME] = "";
    std::string const what = "duplicate " + std::to_string(i) + ": ";
    test.require(commprof_read(comm[i], "Sendrecv", &numbers, sizeof numbers) == MPI_SUCCESS, what + "a reading fails");
    test.require(numbers.calls == sum && numbers.bytes_sent == sum * sizeof(int),
                 what + "the calls of all that share the record");
    test.require(
        commprof_read_peers(comm[i], messages.data(), nullptr, test.ranks) == MPI_SUCCESS && messages == expected,
        what + "messages");
    test.require(commprof_comm_name(comm[i], name, sizeof name) == MPI_SUCCESS && name == std::string("W_d*"),
                 what + "the name");
  }
  unsigned long long alone = 1;
  commprof_numbers numbers{};
  commprof_read(comm[0], nullptr, &numbers, sizeof numbers);
  test.require(numbers.calls == 0, "the first duplicate has a record of its own");
  // Reads, out of all messages on the shared record, those to the process itself.
  MPI_Comm self;
  MPI_Comm_split(comm[own], test.rank, 0, &self);
  test.expect("W_d*", "Comm_split", {1, 0, 0});
  test.expect_folded("communicators",
                     static_cast<std::uint64_t>(comms - own + 1) * static_cast<std::uint64_t>(test.ranks));
  test.require(commprof_read_peers(self, &alone, nullptr, 1) == MPI_SUCCESS && alone == 0,
               "what is split off has a record for its kind of call");
  // A freed handle is invalid although its record lives on; if MPI reuses the handle, it denotes the new communicator.
  MPI_Comm const gone = comm[comms - 1];
  MPI_Comm_free(&comm[comms - 1]);
  test.expect("W_d*", "Comm_free", {1, 0, 0});
  commprof_numbers untouched{7, 7, 7, 7};
  test.require(commprof_read(gone, nullptr, &untouched, sizeof untouched) == MPI_ERR_COMM && untouched.calls == 7,
               "a freed communicator is read");
  test.require(commprof_read_peers(gone, nullptr, nullptr, test.ranks) == MPI_ERR_COMM,
               "a freed communicator has peers");
  MPI_Comm other;
  MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &other);
  test.expect("W", "Comm_split", {1, 0, 0});
  test.expect_folded("communicators",
                     static_cast<std::uint64_t>(comms - own + 2) * static_cast<std::uint64_t>(test.ranks));
  char name[COMMPROF_MAX_NAME] = "";
  test.require(commprof_comm_name(other, name, sizeof name) == MPI_SUCCESS && name == std::string("W_s*"),
               std::string("the handle's new communicator is called ") + name);
  return test.finish();
}
