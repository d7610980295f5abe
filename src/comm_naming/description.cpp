#include "comm_naming/description.hpp"

#include <charconv>

#include "comm_naming/communicators.hpp"
#include "comm_naming/groups.hpp"
#include "comm_naming/rank_ranges.hpp"

namespace commprof::communicators {

namespace {

constinit LastingVector<char> text_scratch;

// "cart 4x2 periods 10", "graph 8", "dist_graph" or empty.
TextRef topology_text(Letter letter, MPI_Comm comm) {
  int const status = topology_of(letter, comm);
  if (status == MPI_DIST_GRAPH) return registry.store("dist_graph");
  text_scratch.clear();
  bool fits = true;
  auto const put_number = [&](int number) {
    char digits[12];
    char const* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    fits &= append(text_scratch, {digits, static_cast<std::size_t>(end - digits)});
  };
  if (status == MPI_GRAPH) {
    int nodes = 0, edges = 0;
    PMPI_Graphdims_get(comm, &nodes, &edges);
    fits &= append(text_scratch, "graph ");
    put_number(nodes);
  } else if (status == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    static Scratch scratch;
    int* const room = scratch.room<int>(3 * static_cast<std::size_t>(dimensions) + 1);
    if (room == nullptr) return {};
    int* const periods = room + dimensions;
    PMPI_Cart_get(comm, dimensions, room, periods, periods + dimensions);
    fits &= append(text_scratch, "cart ");
    for (int i = 0; i < dimensions; ++i) {
      if (i > 0) fits &= append(text_scratch, "x");
      put_number(room[i]);
    }
    fits &= append(text_scratch, " periods ");
    for (int i = 0; i < dimensions; ++i) fits &= append(text_scratch, periods[i] != 0 ? "1" : "0");
  }
  return fits ? registry.store({text_scratch.begin(), text_scratch.size()}) : TextRef{};
}

// The members text of a communicator that only has this process.
TextRef own_rank_text() {
  static TextRef stored;
  if (stored.length == 0) {
    char digits[12];
    char const* const end = std::to_chars(digits, digits + sizeof digits, registry[CommIndex::world].rank).ptr;
    stored = registry.store({digits, static_cast<std::size_t>(end - digits)});
  }
  return stored;
}

// Fills in the members without asking MPI for groups. False if MPI must be asked. parent: nullptr if unknown.
[[gnu::hot]] bool describe_members_at_once(Communicator& record, Communicator const* parent) {
  if (record.is_inter || record.spans_worlds) return false;
  if (record.size == 1) {
    record.members = own_rank_text();
    return true;
  }
  if (parent == nullptr || !parent->is_described_here || !has_all_of(record, *parent)) return false;
  record.members = parent->members;
  return true;
}

[[gnu::hot]] void describe_topology(Communicator& record, MPI_Comm comm) {
  if (may_have_topology(record.letter)) record.topology = topology_text(record.letter, comm);
}

}  // namespace

TextRef members_text(MPI_Group group) {
  Ranks const ranks = world_ranks_of(group);
  text_scratch.clear();
  if (ranks.data == nullptr || !append_rank_ranges(text_scratch, ranks.data, ranks.count)) return {};
  if (!fold_long_ranges(text_scratch, ranks.count)) return {};
  return registry.store({text_scratch.begin(), text_scratch.size()});
}

[[gnu::hot]] void describe(Communicator& record, MPI_Comm comm, Communicator const* parent) {
  bool const is_part = parent != nullptr && !parent->is_inter && makes_part_of_group(record.letter);
  if (is_part && parent->size == 1) {
    record.size = 1;
  } else {
    PMPI_Comm_rank(comm, &record.rank);
    PMPI_Comm_size(comm, &record.size);
  }
  if (!is_part) {
    int inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    record.is_inter = inter != 0;
  }
  record.is_described_here = record.rank == 0;
  if (!record.is_inter && !record.spans_worlds && record.rank != 0) return;
  if (describe_members_at_once(record, parent)) return describe_topology(record, comm);
  Groups const groups(comm, record.is_inter);
  if (record.is_inter) {
    PMPI_Comm_remote_size(comm, &record.remote_size);
    int const here = smallest_rank(groups.local(), world_group), there = smallest_rank(groups.remote(), world_group);
    record.spans_worlds = here == MPI_UNDEFINED || there == MPI_UNDEFINED;
    record.is_lead_side = record.spans_worlds || here < there;
  } else if (record.spans_worlds) {
    record.spans_worlds = smallest_rank(groups.local(), world_group) == MPI_UNDEFINED;
  }
  if (record.spans_worlds) record.is_described_here = first_of_this_world(groups.local()) == record.rank;
  if (!record.is_described_here) return;
  if (!record.is_inter) {
    record.members = members_text(groups.local());
    describe_topology(record, comm);
    return;
  }
  MPI_Group both;
  PMPI_Group_union(groups.local(), groups.remote(), &both);
  record.members = members_text(both);
  PMPI_Group_free(&both);
}

[[gnu::hot]] void describe_as(Communicator& record, Communicator const& original) {
  record.is_inter = original.is_inter;
  record.is_described_here = original.is_described_here;
  record.is_lead_side = original.is_lead_side;
  record.size = original.size;
  record.remote_size = original.remote_size;
  record.rank = original.rank;
  record.members = original.members;
  record.topology = original.topology;
  record.reorder = original.reorder;
}

}  // namespace commprof::communicators
