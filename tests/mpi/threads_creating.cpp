// Threads that create communicators at the same time, each from a parent of its own, or all from one, which
// MPI_Comm_create_group allows if their tags differ. Then each tag has a count of its own.
#include <string>
#include <thread>
#include <vector>

#include "profile_test.hpp"

using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

constexpr int threads = 4;
constexpr int rounds = 20;

void release(MPI_Comm comm) {
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
}

void create(NamedComm const& parent) {
  MPI_Group everybody;
  MPI_Comm_group(parent.handle, &everybody);
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm dup, split, group, cart, of_dup;
    MPI_Comm_dup(parent.handle, &dup);
    MPI_Comm_split(parent.handle, parent.rank % 2, 0, &split);
    MPI_Comm_create(parent.handle, everybody, &group);
    release(group);
    MPI_Comm_create_group(parent.handle, everybody, round, &group);
    int const size = parent.size, period = 1;
    MPI_Cart_create(parent.handle, 1, &size, &period, 0, &cart);
    MPI_Comm_dup(dup, &of_dup);
    for (MPI_Comm const comm : {dup, split, group, cart, of_dup}) release(comm);
  }
  MPI_Group_free(&everybody);
}

void expect_created(ProfileTest& test, NamedComm const& parent) {
  auto const expect = [&](std::string const& from, char const* call, std::string const& name, int size) {
    test.expect(from, call, {1, 0, 0});
    test.expect(name, "Barrier", {1, 0, 0});
    test.expect(name, "Comm_free", {1, 0, 0});
    test.expect_communicator(name,
                             {{"created_by", call}, {"size", std::to_string(size)}, {"parent", from}, {"freed", "1"}});
  };
  std::string const everybody = profile_test::ranks_in_name(0, parent.size);
  int const half = (parent.size + (parent.rank % 2 == 0 ? 1 : 0)) / 2;
  for (int round = 0; round < rounds; ++round) {
    // Creation calls that are collective over the parent share one count.
    auto const name = [&](char letter, int place) {
      return parent.name + "_" + letter + std::to_string(4 * round + place);
    };
    expect(parent.name, "Comm_dup", name('d', 1), parent.size);
    expect(parent.name, "Comm_split", name('s', 2) + "." + std::to_string(parent.rank % 2), half);
    expect(parent.name, "Comm_create", name('c', 3) + ".0", parent.size);
    expect(parent.name, "Cart_create", name('a', 4), parent.size);
    expect(parent.name, "Comm_create_group",
           parent.name + "_u1." + everybody + (round == 0 ? "" : ".t" + std::to_string(round)), parent.size);
    expect(name('d', 1), "Comm_dup", name('d', 1) + "_d1", parent.size);
  }
}

void create_groups(NamedComm const& parent, int number) {
  MPI_Group everybody;
  MPI_Comm_group(parent.handle, &everybody);
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm comm;
    MPI_Comm_create_group(parent.handle, everybody, number, &comm);
    release(comm);
  }
  MPI_Group_free(&everybody);
}

void expect_groups(ProfileTest& test, NamedComm const& parent) {
  std::string const everybody = profile_test::ranks_in_name(0, parent.size);
  for (int i = 0; i < threads * rounds; ++i) {
    int const tag = i % threads;
    std::string const name = parent.name + "_u" + std::to_string(i / threads + 1) + "." + everybody +
                             (tag == 0 ? "" : ".t" + std::to_string(tag));
    test.expect(parent.name, "Comm_create_group", {1, 0, 0});
    test.expect(name, "Barrier", {1, 0, 0});
    test.expect(name, "Comm_free", {1, 0, 0});
    test.expect_communicator(
        name, {{"created_by", "Comm_create_group"}, {"size", std::to_string(parent.size)}, {"freed", "1"}});
  }
}

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv, MPI_THREAD_MULTIPLE);
  std::vector<NamedComm> parents;
  for (int i = 1; i <= threads + 1; ++i) {
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    test.expect("W", "Comm_dup", {1, 0, 0});
    parents.emplace_back(dup, "W_d" + std::to_string(i));
  }
  NamedComm const& shared = parents.back();
  // Open MPI 4.1.4 loads its topology component at the first topology, and crashes if two threads do so at once.
  int const size = test.ranks, period = 0;
  MPI_Comm first_topology;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &first_topology);
  test.expect("W", "Cart_create", {1, 0, 0});
  auto const in_threads = [](auto const& body) {
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i) running.emplace_back(body, i);
    for (std::thread& thread : running) thread.join();
  };
  in_threads([&](int i) { create(parents[static_cast<std::size_t>(i)]); });
  in_threads([&](int i) { create_groups(shared, i); });
  for (int i = 0; i < threads; ++i) expect_created(test, parents[static_cast<std::size_t>(i)]);
  expect_groups(test, shared);
  return test.finish();
}
