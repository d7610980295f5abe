#include "views/placement_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

namespace mpisee_through {
namespace {

struct Neighbour {
  std::uint32_t rank;
  std::uint32_t neighbour;
  std::uint64_t amount;  // sum of both directions
};

// The neighbours of each rank, ascending; so each pair occurs twice.
std::vector<Neighbour> neighbours_in(Traffic const& traffic, Measure measure) {
  std::vector<Neighbour> all;
  all.reserve(2 * traffic.pairs.size());
  for (PairTraffic const& pair : traffic.pairs) {
    if (pair.from == pair.to || pair.from == other_world || pair.to == other_world) continue;
    auto const from = static_cast<std::uint32_t>(pair.from);
    auto const to = static_cast<std::uint32_t>(pair.to);
    all.push_back({from, to, pair.amount.of(measure)});
    all.push_back({to, from, pair.amount.of(measure)});
  }
  std::ranges::sort(all, {}, [](Neighbour const& one) { return std::tuple(one.rank, one.neighbour); });

  std::vector<Neighbour> merged;
  for (Neighbour const& one : all) {
    bool const is_known = !merged.empty() && merged.back().rank == one.rank && merged.back().neighbour == one.neighbour;
    if (is_known) {
      merged.back().amount += one.amount;
    } else {
      merged.push_back(one);
    }
  }
  std::erase_if(merged, [](Neighbour const& one) { return one.amount == 0; });
  return merged;
}

// The number of bits to shift weights by, so that their sum fits into 32 bits.
unsigned scale_of(std::vector<Neighbour> const& neighbours) {
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  double sum = 0;
  for (Neighbour const& one : neighbours) sum += static_cast<double>(one.amount);
  // Leaves room for rounding each weight up to 1.
  double const room = std::max(most - static_cast<double>(neighbours.size()), 1.0);
  unsigned shift = 0;
  for (; sum > room; sum /= 2) ++shift;
  return shift;
}

// Writes a line for each rank: the result of `write` for its neighbours and their weights.
template <class Write>
void write_lines(std::ostream& out, std::uint32_t ranks, std::vector<Neighbour> const& neighbours, Write write) {
  unsigned const shift = scale_of(neighbours);
  auto one = neighbours.begin();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    auto const first = one;
    while (one != neighbours.end() && one->rank == rank) ++one;
    std::string line;
    write(line, static_cast<std::size_t>(one - first));
    for (auto of_rank = first; of_rank != one; ++of_rank) {
      write(line, *of_rank, std::max<std::uint64_t>(of_rank->amount >> shift, 1));
    }
    out << line << '\n';
  }
}

struct ScotchLine {
  void operator()(std::string& line, std::size_t degree) const { line += fmt::format("{}", degree); }
  void operator()(std::string& line, Neighbour const& one, std::uint64_t weight) const {
    line += fmt::format(" {} {}", weight, one.neighbour);
  }
};

struct MetisLine {
  void operator()(std::string&, std::size_t) const {}
  void operator()(std::string& line, Neighbour const& one, std::uint64_t weight) const {
    line += fmt::format("{}{} {}", line.empty() ? "" : " ", one.neighbour + 1, weight);
  }
};

}  // namespace

void write_treematch(std::ostream& out, Traffic const& traffic, Measure measure) {
  std::vector<Neighbour> const neighbours = neighbours_in(traffic, measure);
  auto one = neighbours.begin();
  for (std::uint32_t row = 0; row < traffic.run.ranks; ++row) {
    for (std::uint32_t column = 0; column < traffic.run.ranks; ++column) {
      bool const has_any = one != neighbours.end() && one->rank == row && one->neighbour == column;
      if (column > 0) out << ' ';
      out << (has_any ? one++->amount : 0);
    }
    out << '\n';
  }
}

void write_scotch(std::ostream& out, Traffic const& traffic, Measure measure) {
  std::vector<Neighbour> const neighbours = neighbours_in(traffic, measure);
  // Format: version; vertices and arcs, two for each edge; first vertex, and a code for weights of edges.
  out << fmt::format("0\n{} {}\n0 010\n", traffic.run.ranks, neighbours.size());
  write_lines(out, traffic.run.ranks, neighbours, ScotchLine());
}

void write_metis(std::ostream& out, Traffic const& traffic, Measure measure) {
  std::vector<Neighbour> const neighbours = neighbours_in(traffic, measure);
  // Format: vertices; edges; a code for weights of edges.
  out << fmt::format("{} {} 001\n", traffic.run.ranks, neighbours.size() / 2);
  write_lines(out, traffic.run.ranks, neighbours, MetisLine());
}

}  // namespace mpisee_through
