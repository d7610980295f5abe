// The bytes of a call, by the standard and docs/profile.md, "What a call counts".
#pragma once

#include <algorithm>

#include "call.hpp"

namespace counter {

struct Volume {
  long long sent = 0, received = 0;
};

inline long long size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  if (type == MPI_DATATYPE_NULL || type == MPI_Datatype{}) return 0;  // not significant in this call
  PMPI_Type_size_x(type, &size);
  return size;
}

// The blocks of a call: one for all, or an array of counts, perhaps with a type for each.
class Blocks {
 public:
  Blocks(Call const& call, void const* counts, MPI_Datatype type, MPI_Datatype const* types = nullptr)
      : is_large_(call.is_large), counts_(counts), type_(type), types_(types) {}

  long long bytes(int i) const {
    long long const n = is_large_ ? static_cast<MPI_Count const*>(counts_)[i] : static_cast<int const*>(counts_)[i];
    return n > 0 ? n * size_of(types_ == nullptr ? type_ : types_[i]) : 0;
  }
  long long sum(int number) const {
    long long all = 0;
    for (int i = 0; i < number; ++i) all += bytes(i);
    return all;
  }

 private:
  bool is_large_;
  void const* counts_;
  MPI_Datatype type_;
  MPI_Datatype const* types_;
};

// Which of the blocks for neighbours have one: those beyond the edge of a grid have none.
inline std::vector<bool> neighbours(MPI_Comm comm) {
  int topology = 0, number = 0, ins = 0, is_weighted = 0, rank = 0;
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    PMPI_Cartdim_get(comm, &number);
    std::vector<bool> exist;
    for (int i = 0; i < number; ++i) {
      int below = 0, above = 0;
      PMPI_Cart_shift(comm, i, 1, &below, &above);
      exist.push_back(below != MPI_PROC_NULL);
      exist.push_back(above != MPI_PROC_NULL);
    }
    return exist;
  }
  PMPI_Comm_rank(comm, &rank);
  if (topology == MPI_DIST_GRAPH) PMPI_Dist_graph_neighbors_count(comm, &ins, &number, &is_weighted);
  else PMPI_Graph_neighbors_count(comm, rank, &number);
  return std::vector<bool>(static_cast<std::size_t>(number), true);
}

inline Volume volume_of(Call const& call, Kind kind) {
  Comm const& on = *call.on;
  auto const out = [&] { return call.count * size_of(call.type); };
  auto const in = [&] { return call.in_count * size_of(call.in_type); };
  Blocks const outs(call, call.counts, call.type, call.types), ins(call, call.in_counts, call.in_type, call.in_types);
  bool const is_in_place = call.out == MPI_IN_PLACE;
  // A call with a root: these ranks give to it or take from it, and the root may have its own part in place.
  bool const is_root = on.is_inter == 0 && on.rank == call.root;
  bool const takes_part = on.is_inter == 0 || (call.root != MPI_ROOT && call.root != MPI_PROC_NULL);
  bool const has_own = is_root && (kind == GATHER || kind == GATHERV ? call.out : call.in) == MPI_IN_PLACE;
  bool const is_one_sided = kind == PUT || kind == GET || kind == GET_ACCUMULATE || kind == FETCH;
  if (kind >= BCAST && kind <= REDUCE && !takes_part) return {};
  if (is_one_sided && call.dest == MPI_PROC_NULL) return {};
  switch (kind) {
    case SEND:
    case SEND_RECEIVE:
      return {call.dest == MPI_PROC_NULL ? 0 : call.partitions * out(), 0};
    case BCAST:
      return {0, is_root ? 0 : out()};
    case REDUCE:
    case ALLREDUCE:
    case PUT:
      return {out(), 0};
    case GATHER:
      return {has_own ? in() : out(), 0};
    case GATHERV:
      return {has_own ? ins.bytes(on.rank) : out(), 0};
    case SCATTER:
      return {0, has_own ? out() : in()};
    case SCATTERV:
      return {0, has_own ? outs.bytes(on.rank) : in()};
    case ALLGATHER:
      return {is_in_place ? in() : out(), 0};
    case ALLGATHERV:
      return {is_in_place ? ins.bytes(on.rank) : out(), 0};
    case ALLTOALL:
      return {on.peers * (is_in_place ? in() : out()), 0};
    case ALLTOALLV:
      return {(is_in_place ? ins : outs).sum(on.peers), 0};
    case REDUCE_SCATTER:
      return {0, Blocks(call, call.in_counts, call.type).bytes(on.rank)};
    case REDUCE_SCATTER_BLOCK:
      return {0, call.in_count * size_of(call.type)};
    case SCAN:
      return {on.rank == on.size - 1 ? 0 : out(), 0};
    case NEIGHBOR_ALLGATHER:
    case NEIGHBOR_ALLTOALLV: {
      std::vector<bool> const exist = neighbours(call.comm);
      Volume sent;
      for (int i = 0; i < static_cast<int>(exist.size()); ++i)
        if (exist[static_cast<std::size_t>(i)]) sent.sent += kind == NEIGHBOR_ALLGATHER ? out() : outs.bytes(i);
      return sent;
    }
    case GET:
      return {0, out()};
    case GET_ACCUMULATE:
      return {call.op == MPI_NO_OP ? 0 : out(), in()};
    case FETCH:
      return {call.op == MPI_NO_OP ? 0 : size_of(call.type), size_of(call.type)};
    default:
      return {};
  }
}

// may_be_cancelled: else a status need not say whether it was.
inline long long arrived(MPI_Status const* status, bool may_be_cancelled) {
  MPI_Count bytes = 0;
  int is_cancelled = 0;
  if (may_be_cancelled) PMPI_Test_cancelled(status, &is_cancelled);
  PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
  return is_cancelled != 0 ? 0 : std::max<long long>(bytes, 0);
}

}  // namespace counter
