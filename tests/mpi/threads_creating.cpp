// Threads that create communicators at the same time, each from a parent of its own, or all from one, which
// MPI_Comm_create_group allows if their tags differ. Then each tag has a count of its own.
#include <string>
#include <thread>
#include <vector>

#include "workload.hpp"

using workload::Ring;

namespace {

constexpr int threads = 4;
constexpr int rounds = 20;

void release(MPI_Comm comm) {
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
}

std::string everybody_of(Ring const& parent) { return parent.size == 1 ? "0" : "0-" + std::to_string(parent.size - 1); }

// Creation calls that are collective over the parent share one count.
void create(Ring const& parent, std::string const& parent_name) {
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
    auto const name = [&](char letter, int place) {
      return parent_name + "_" + letter + std::to_string(4 * round + place);
    };
    workload::require_name(dup, name('d', 1));
    workload::require_name(split, name('s', 2) + "." + std::to_string(parent.rank % 2));
    workload::require_name(cart, name('a', 4));
    workload::require_name(of_dup, name('d', 1) + "_d1");
    std::string const tag = round == 0 ? "" : ".t" + std::to_string(round);
    workload::require_name(group, parent_name + "_u1." + everybody_of(parent) + tag);
    for (MPI_Comm const comm : {dup, split, group, cart, of_dup}) release(comm);
  }
  MPI_Group_free(&everybody);
}

void create_groups(Ring const& parent, std::string const& parent_name, int number) {
  MPI_Group everybody;
  MPI_Comm_group(parent.handle, &everybody);
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm comm;
    MPI_Comm_create_group(parent.handle, everybody, number, &comm);
    std::string const tag = number == 0 ? "" : ".t" + std::to_string(number);
    workload::require_name(comm, parent_name + "_u" + std::to_string(round + 1) + "." + everybody_of(parent) + tag);
    release(comm);
  }
  MPI_Group_free(&everybody);
}

}  // namespace

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  std::vector<Ring> parents;
  for (int i = 0; i <= threads; ++i) {
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    parents.emplace_back(dup);
  }
  // Open MPI 4.1.4 loads its topology component at the first topology, and crashes if two threads do so at once.
  int const size = parents[0].size, period = 0;
  MPI_Comm first_topology;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &first_topology);
  auto const in_threads = [](auto const& body) {
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i) running.emplace_back(body, i);
    for (std::thread& thread : running) thread.join();
  };
  in_threads([&](int i) { create(parents[static_cast<std::size_t>(i)], "W_d" + std::to_string(i + 1)); });
  in_threads([&](int i) { create_groups(parents.back(), "W_d" + std::to_string(threads + 1), i); });
  return workload::finish();
}
