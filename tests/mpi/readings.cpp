// Readings of the program's own numbers while it runs equal its calls so far, on each kind of communicator; and the
// profile is unaffected by readings and resets.
#include <mpi.h>
// After mpi.h, which it does not include in C++.
#include <commprof/commprof.h>

#include <map>
#include <string>
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;
using profile_test::ranks_in_name;

namespace {

constexpr int tag = 1;

using Array = std::vector<unsigned long long>;

// Makes calls on one communicator, and computes the readings expected for it.
class Program {
 public:
  Program(ProfileTest& test, NamedComm where, int peers)
      : test_(test), comm_(std::move(where)), messages_(size_t(peers)), bytes_(size_t(peers)) {}

  // A message each way, of different sizes, with a process of this rank (of the remote group) that does the same.
  void exchange(int peer, int sent, int received) {
    std::vector<int> out(100), in(100);
    MPI_Sendrecv(out.data(), sent, MPI_INT, peer, tag, in.data(), received, MPI_INT, peer, tag, comm_.handle,
                 MPI_STATUS_IGNORE);
    count("Sendrecv", {1, bytes(sent, MPI_INT), bytes(received, MPI_INT)});
    sent_to(peer, sent);
  }

  // A receive is in a reading when it has completed.
  void exchange_nonblocking(int peer, int size) {
    std::vector<int> out(100), in(100);
    MPI_Request requests[2];
    MPI_Irecv(in.data(), 100, MPI_INT, peer, tag, comm_.handle, &requests[0]);
    MPI_Isend(out.data(), size, MPI_INT, peer, tag, comm_.handle, &requests[1]);
    count("Isend", {1, bytes(size, MPI_INT), 0});
    sent_to(peer, size);
    check();
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    count("Waitall", {1, 0, 0});
    count("Irecv", {1, 0, bytes(size, MPI_INT)});
  }

  // The peers of persistent sends are known by their ranks in the world.
  void exchange_persistent(int peer, int size, int times) {
    std::vector<int> out(100), in(100);
    MPI_Request requests[2];
    MPI_Recv_init(in.data(), 100, MPI_INT, peer, tag, comm_.handle, &requests[0]);
    MPI_Send_init(out.data(), size, MPI_INT, peer, tag, comm_.handle, &requests[1]);
    count("Recv_init", {1, 0, 0});
    count("Send_init", {1, 0, 0});
    for (int i = 0; i < times; ++i) {
      MPI_Startall(2, requests);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      count("Startall", {1, bytes(size, MPI_INT), bytes(size, MPI_INT)});
      count("Waitall", {1, 0, 0});
      sent_to(peer, size);
    }
    for (MPI_Request& request : requests) MPI_Request_free(&request);
    count("Request_free", {2, 0, 0});
  }

  void barrier() {
    MPI_Barrier(comm_.handle);
    count("Barrier", {1, 0, 0});
  }

  // Forgets the calls so far, like commprof_reset().
  void forget() {
    read_.clear();
    messages_.assign(messages_.size(), 0);
    bytes_.assign(bytes_.size(), 0);
  }

  void check() {
    profile_test::Counts all;
    double time_s = 0;
    for (auto const& [op, counts] : read_) {
      time_s += check(op.c_str(), counts);
      all.calls += counts.calls;
      all.sent += counts.sent;
      all.received += counts.received;
    }
    double const all_time_s = check(nullptr, all);
    require(all_time_s >= time_s * 0.999 && all_time_s <= time_s * 1.001 + 1e-6, "the times add up");
    check("Alltoallw", {});
    check_peers();
    char name[COMMPROF_MAX_NAME];
    require(commprof_comm_name(comm_.handle, name, sizeof name) == MPI_SUCCESS && name == comm_.name, "the name");
    require(commprof_comm_name(comm_.handle, name, static_cast<int>(comm_.name.size())) == MPI_ERR_ARG,
            "a room for names that is too small");
  }

 private:
  void require(bool condition, std::string const& what) { test_.require(condition, comm_.name + ": " + what); }

  void count(std::string const& op, profile_test::Counts counts) {
    test_.expect(comm_.name, op, counts);
    profile_test::Counts& sum = read_[op];
    sum.calls += counts.calls;
    sum.sent += counts.sent;
    sum.received += counts.received;
  }
  void sent_to(int peer, int size) {
    ++messages_[size_t(peer)];
    bytes_[size_t(peer)] += bytes(size, MPI_INT);
  }

  double check(char const* op, profile_test::Counts const& expected) {
    std::string const what = op == nullptr ? "all" : op;
    commprof_numbers found{};
    require(commprof_read(comm_.handle, op, &found, sizeof found) == MPI_SUCCESS, what + " cannot be read");
    require(found.calls == expected.calls,
            what + ": " + std::to_string(found.calls) + " calls, not " + std::to_string(expected.calls));
    require(found.bytes_sent == expected.sent && found.bytes_received == expected.received, what + ": bytes");
    require((found.time_s > 0) == (expected.calls > 0) && found.time_s < 100, what + ": time");
    return found.time_s;
  }

  void check_peers() {
    constexpr unsigned long long beyond = 4711;
    Array messages(messages_.size() + 1, beyond), sums(messages_.size() + 1, beyond);
    int const length = static_cast<int>(messages_.size());
    require(commprof_read_peers(comm_.handle, messages.data(), sums.data(), length) == MPI_SUCCESS,
            "peers cannot be read");
    require(messages.back() == beyond && sums.back() == beyond, "the array ends where the communicator does");
    messages.pop_back();
    sums.pop_back();
    require(messages == messages_, "messages to the peers");
    require(sums == bytes_, "bytes to the peers");
    Array only(messages_.size());
    require(commprof_read_peers(comm_.handle, nullptr, only.data(), length) == MPI_SUCCESS && only == bytes_,
            "bytes alone");
    require(commprof_read_peers(comm_.handle, only.data(), nullptr, length) == MPI_SUCCESS && only == messages_,
            "messages alone");
    require(commprof_read_peers(comm_.handle, only.data(), nullptr, length - 1) == MPI_ERR_ARG,
            "an array that is too short");
  }

  ProfileTest& test_;
  NamedComm comm_;
  std::map<std::string, profile_test::Counts> read_;
  Array messages_, bytes_;
};

void use(Program& program, int left, int right, int rank) {
  program.exchange(rank % 2 == 0 ? right : left, 10, 10);
  program.exchange_nonblocking(rank % 2 == 0 ? right : left, 30);
  program.exchange_persistent(rank % 2 == 0 ? right : left, 5, 3);
  program.barrier();
  program.check();
}

// Each process sends messages to itself, so that any number of processes will do.
void use_alone(Program& program, int rank) {
  program.exchange(rank, 7, 7);
  program.exchange_nonblocking(rank, 1);
  program.exchange_persistent(rank, 0, 2);
  program.check();
}

void check_errors(ProfileTest& test) {
  commprof_numbers numbers{1, 2, 3, 4};
  auto const is = [&](int result, int expected, char const* what) { test.require(result == expected, what); };
  is(commprof_read(MPI_COMM_NULL, nullptr, &numbers, sizeof numbers), MPI_ERR_COMM, "the null communicator is read");
  is(commprof_read(MPI_COMM_WORLD, "Sand", &numbers, sizeof numbers), MPI_ERR_ARG, "an unknown operation is read");
  is(commprof_read(MPI_COMM_WORLD, "MPI_Send", &numbers, sizeof numbers), MPI_ERR_ARG,
     "an operation with MPI_ is read");
  is(commprof_read(MPI_COMM_WORLD, nullptr, nullptr, sizeof numbers), MPI_ERR_ARG, "nowhere is read to");
  is(commprof_read_peers(MPI_COMM_NULL, nullptr, nullptr, 100), MPI_ERR_COMM, "the peers of no communicator");
  is(commprof_read_peers(MPI_COMM_WORLD, nullptr, nullptr, test.ranks), MPI_SUCCESS, "no array is wanted");
  char name[COMMPROF_MAX_NAME] = "unchanged";
  is(commprof_comm_name(MPI_COMM_NULL, name, sizeof name), MPI_ERR_COMM, "the name of no communicator");
  is(commprof_comm_name(MPI_COMM_WORLD, nullptr, 0), MPI_ERR_ARG, "a name to nowhere");
  test.require(numbers.calls == 1 && numbers.time_s == 4.0 && name == std::string("unchanged"),
               "an error changes a result");

  // Readings of a freed communicator, whose error the program would otherwise handle.
  MPI_Comm comm, freed;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  test.expect("SELF", "Comm_dup", {1, 0, 0});
  freed = comm;
  MPI_Comm_free(&comm);
  test.expect("SELF_d1", "Comm_free", {1, 0, 0});
  is(commprof_read(freed, nullptr, &numbers, sizeof numbers), MPI_ERR_COMM, "a communicator that is freed");
}

// A profiler newer than the program, and an older one.
void check_sizes(ProfileTest& test) {
  struct {
    commprof_numbers numbers;
    unsigned long long further[2];
  } larger{{}, {1, 2}};
  test.require(commprof_read(MPI_COMM_SELF, nullptr, &larger.numbers, sizeof larger) == MPI_SUCCESS, "a larger struct");
  test.require(larger.numbers.calls > 0 && larger.further[0] == 0 && larger.further[1] == 0, "unknown members are 0");
  commprof_numbers numbers{1, 2, 3, 4};
  test.require(commprof_read(MPI_COMM_SELF, nullptr, &numbers, sizeof numbers.calls) == MPI_SUCCESS,
               "a smaller struct");
  test.require(numbers.calls == larger.numbers.calls && numbers.bytes_sent == 2 && numbers.time_s == 4.0,
               "the end of a smaller struct");
}

}  // namespace

int main(int argc, char** argv) {
  commprof_numbers early{};
  bool const fails_before =
      commprof_read(MPI_COMM_WORLD, nullptr, &early, sizeof early) == MPI_ERR_UNSUPPORTED_OPERATION &&
      commprof_reset() == MPI_ERR_UNSUPPORTED_OPERATION;
  commprof_pause();  // there is nothing to pause
  ProfileTest test(&argc, &argv);
  test.require(fails_before, "readings before MPI_Init");

  Program self(test, {MPI_COMM_SELF, "SELF"}, 1);
  use_alone(self, 0);
  Program world(test, {MPI_COMM_WORLD, "W"}, test.ranks);
  use_alone(world, test.rank);
  if (test.ranks % 2 == 0) use(world, test.rank - 1, test.rank + 1, test.rank);

  // Ranks are in the reverse order of those in the world.
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -test.rank, &reversed);
  test.expect("W", "Comm_split", {1, 0, 0});
  Program derived(test, {reversed, "W_s1.0"}, test.ranks);
  int const rank = test.ranks - 1 - test.rank;
  use_alone(derived, rank);
  if (test.ranks % 2 == 0) use(derived, rank - 1, rank + 1, rank);

  // The lower and the upper half.
  if (test.ranks % 2 == 0) {
    MPI_Comm half, inter;
    bool const is_lower = test.rank < test.ranks / 2;
    MPI_Comm_split(MPI_COMM_WORLD, is_lower ? 0 : 1, 0, &half);
    test.expect("W", "Comm_split", {1, 0, 0});
    std::string const own = is_lower ? "W_s2.0" : "W_s2." + std::to_string(test.ranks / 2);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_lower ? test.ranks / 2 : 0, tag, &inter);
    test.expect(own, "Intercomm_create", {1, 0, 0});
    std::string const lower = ranks_in_name(0, test.ranks / 2), upper = ranks_in_name(test.ranks / 2, test.ranks);
    std::string const name = "W_i1." + lower + "." + upper + ".t" + std::to_string(tag);
    Program between(test, {inter, name}, test.ranks / 2);
    int const opposite = test.rank % (test.ranks / 2);
    between.exchange(opposite, is_lower ? 4 : 6, is_lower ? 6 : 4);
    between.exchange_nonblocking(opposite, 2);
    between.exchange_persistent(opposite, 3, 2);
    between.check();
  }

  // The readings of unused communicators do not change.
  derived.check();
  test.require(commprof_reset() == MPI_SUCCESS, "reset");
  for (Program* program : {&self, &derived}) {
    program->forget();
    program->check();
  }
  use_alone(derived, rank);
  derived.barrier();
  derived.check();
  test.require(commprof_reset() == MPI_SUCCESS, "a second reset");
  derived.forget();
  derived.check();

  commprof_pause();
  std::vector<int> data(100);
  MPI_Sendrecv_replace(data.data(), 100, MPI_INT, rank, tag, rank, tag, reversed, MPI_STATUS_IGNORE);
  derived.check();
  commprof_resume();
  use_alone(derived, rank);

  check_errors(test);
  check_sizes(test);
  int const code = test.finish();
  bool const fails_after =
      commprof_read(MPI_COMM_WORLD, nullptr, &early, sizeof early) == MPI_ERR_UNSUPPORTED_OPERATION;
  return fails_after ? code : 1;
}
