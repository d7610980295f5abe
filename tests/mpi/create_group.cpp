// MPI_Comm_create_group: members alone know of the call, so its ordinal counts the communicators of exactly these
// members and of this tag, which is all that they have made alike. Each process works the names out by going through
// all groups of the program, its own or not.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "profile_test.hpp"
#include "workload.hpp"

using profile_test::ranks_in_name;
using workload::Ring;

namespace {

class Program {
 public:
  Program(MPI_Comm parent, std::string name) : parent_(parent), name_(std::move(name)) {}

  // Ranks in the parent, in the order of the new communicator. Only the members call MPI.
  void create(std::vector<int> const& ranks, int tag = 0) {
    std::string const part = "." + ranks_in_name(ranks) + (tag == 0 ? "" : ".t" + std::to_string(tag));
    int const ordinal = ++made_[part];
    ++number_;
    auto const me = std::find(ranks.begin(), ranks.end(), parent_.rank);
    if (me == ranks.end()) return;

    MPI_Group all, group;
    MPI_Comm comm;
    MPI_Comm_group(parent_.handle, &all);
    MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &group);
    MPI_Comm_create_group(parent_.handle, group, tag, &comm);
    MPI_Group_free(&group);
    MPI_Group_free(&all);

    workload::require_name(comm, name_ + "_u" + std::to_string(ordinal) + part);
    int value = 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    if (number_ % 2 != 0) return;
    MPI_Comm_free(&comm);
  }

  void run() {
    for (int round = 0; round < 3; ++round) {
      // Each process leads a group with the two after it, turned round at times.
      for (int first = 0; first < parent_.size; ++first) {
        std::vector<int> ranks;
        for (int rank = first; rank < std::min(first + 3, parent_.size); ++rank) ranks.push_back(rank);
        if (round == 1) std::reverse(ranks.begin(), ranks.end());
        create(ranks);
      }
      // Groups that overlap with those.
      for (int parity = 0; parity < std::min(2, parent_.size); ++parity) {
        std::vector<int> ranks;
        for (int rank = parity; rank < parent_.size; rank += 2) ranks.push_back(rank);
        create(ranks);
      }
      create({parent_.size - 1}, 3);
      // No range of ranks.
      if (parent_.size > 3) create({0, 1, parent_.size - 1}, round);
    }
  }

 private:
  Ring parent_;
  std::string name_;
  std::map<std::string, int> made_;
  int number_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Program(MPI_COMM_WORLD, "W").run();
  // Communicators from Comm_create_group take no number among W's creating calls: the split is still W_s1.0.
  MPI_Comm const reversed = workload::reversed();
  workload::require_name(reversed, "W_s1.0");
  Program(reversed, "W_s1.0").run();
  MPI_Comm dup;
  MPI_Comm_dup(reversed, &dup);
  workload::require_name(dup, "W_s1.0_d1");
  return workload::finish();
}
