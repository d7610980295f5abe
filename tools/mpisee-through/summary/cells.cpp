#include "summary/cells.hpp"

#include <algorithm>
#include <utility>

namespace mpisee_through {
namespace {

auto call_of(Cell const& cell) { return std::pair(cell.communicator, cell.operation); }

template <class Key, class KeyOf>
std::span<Cell const> with_key(Cells const& cells, Key const& key, KeyOf key_of_cell) {
  return {std::ranges::lower_bound(cells, key, {}, key_of_cell), std::ranges::upper_bound(cells, key, {}, key_of_cell)};
}

}  // namespace

Totals& Totals::operator+=(Totals const& other) {
  calls += other.calls;
  bytes_sent += other.bytes_sent;
  bytes_received += other.bytes_received;
  time_s += other.time_s;
  return *this;
}

void Cell::add_calls(Cell const& other) {
  if (other.totals.calls > 0) {
    shortest_s = totals.calls == 0 ? other.shortest_s : std::min(shortest_s, other.shortest_s);
    longest_s = std::max(longest_s, other.longest_s);
  }
  totals += other.totals;
}

void Cell::add(Cell const& other, JoinedRanks ranks) {
  add_calls(other);
  if (ranks == JoinedRanks::ascending && spread && other.spread) spread->append(*other.spread);
  else spread.reset();
}

std::size_t CellKey::Hash::operator()(CellKey const& key) const {
  std::uint64_t const names =
      static_cast<std::uint64_t>(key.communicator) << 32U | static_cast<std::uint32_t>(key.operation);
  std::uint64_t const detail = key.size.min_bytes + (static_cast<std::uint64_t>(key.site) << 40U) +
                               (static_cast<std::uint64_t>(key.rank) << 16U);
  std::uint64_t const mixed = (names ^ (detail * 0x9e3779b97f4a7c15U)) * 0xff51afd7ed558ccdU;
  return mixed ^ (mixed >> 32U);
}

void join(Cells& cells, JoinedRanks ranks) {
  auto const are_out_of_order = [](Cell const& one, Cell const& next) { return one.key() >= next.key(); };
  if (std::ranges::adjacent_find(cells, are_out_of_order) != cells.end()) cells = regrouped(cells, &Cell::key, ranks);
}

std::span<Cell const> cells_on(Cells const& cells, CommunicatorIndex communicator) {
  return with_key(cells, communicator, &Cell::communicator);
}

std::span<Cell const> cells_of(Cells const& cells, CommunicatorIndex communicator, OperationIndex operation) {
  return with_key(cells, std::pair(communicator, operation), call_of);
}

}  // namespace mpisee_through
