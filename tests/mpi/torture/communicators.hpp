// All communicators of the run, as every process knows them: members, topology, and the name by the rules of
// docs/design.md.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace torture {

struct Run;

struct Comm {
  std::string name;
  std::vector<int> groups[2];      // world ranks, by rank; the second group is empty except in an intercommunicator
  std::vector<int> dims, periods;  // of a grid
  std::vector<std::vector<int>> neighbours;  // by rank, if there is a topology: equally many in both directions
  MPI_Comm handle = MPI_COMM_NULL;           // null if this process is not a member
  int created = 0;                           // creation calls of all members
  std::map<std::string, int> made_by;        // by members and tag: number of creation calls of these members alone
  std::map<std::string, int> made_between;   // by groups and tag: number of creation calls of these two groups
  int pins = 0;                              // while positive, it must not be freed
  bool has_buffered_sends = false;           // or had some
  bool is_freed = false;

  bool is_inter() const { return !groups[1].empty(); }
  bool is_of_self() const { return name.starts_with("SELF"); }
  bool has(int world_rank) const { return rank_of(world_rank) >= 0; }
  int side_of(int world_rank) const;
  int rank_of(int world_rank) const;
  std::vector<int> const& group_of(int world_rank) const { return groups[side_of(world_rank)]; }
  // The processes that a member's destination ranks denote.
  std::vector<int> const& peers_of(int world_rank) const { return groups[is_inter() ? 1 - side_of(world_rank) : 0]; }
  std::vector<int> all() const;
  int size() const { return static_cast<int>(groups[0].size()); }  // of an intracommunicator
};

class Communicators {
 public:
  explicit Communicators(Run& run) : run_(run) {}

  // The world and each process's MPI_COMM_SELF.
  void begin();
  Comm& world() { return *comms_.front(); }
  // A random live communicator; prefers the world, those with a topology, and intercommunicators.
  Comm& any();
  Comm& dup_world();

  // Creates or releases a communicator.
  void create();
  void release();

 private:
  struct Part {              // one of the communicators that a call creates
    std::vector<int> ranks;  // in the parent, in the new order
    int smallest() const;
  };
  using Parts = std::vector<Part>;

  std::vector<Comm*> live();
  Comm& add(Comm const& parent, std::string const& suffix, std::vector<int> first, std::vector<int> second = {});
  void made(Comm& comm, MPI_Comm handle);
  void take_in(std::vector<Comm*> const& comms, MPI_Comm handle);
  // Adds the communicators that a call on the parent creates, one for each part.
  std::vector<Comm*> add_parts(Comm& parent, char letter, Parts const& parts);
  std::vector<int> draw_colors(Comm const& parent);
  static Parts parts_by(std::vector<int> const& colors, std::vector<int> const& keys);

  void dup(Comm& parent);
  void split(Comm& parent);
  void split_type(Comm& parent);
  void create_of(Comm& parent);
  void create_group(Comm& parent);
  void cart(Comm& parent);
  void cart_sub(Comm& parent);
  void graph(Comm& parent);
  void dist_graph(Comm& parent);
  void intercomm(Comm& one);
  void merge(Comm& parent);
  void split_inter(Comm& parent);

  Run& run_;
  std::vector<std::unique_ptr<Comm>> comms_;
};

}  // namespace torture
