#include "summary/cells.hpp"

#include <utility>

namespace mpisee_through {
namespace {

std::size_t hash_of(CellKey const& key) {
  std::uint64_t const names =
      static_cast<std::uint64_t>(key.communicator) << 32U | static_cast<std::uint32_t>(key.operation);
  std::uint64_t const detail = key.size.min_bytes + (static_cast<std::uint64_t>(key.site) << 40U) +
                               (static_cast<std::uint64_t>(key.rank) << 16U);
  std::uint64_t const mixed = (names ^ (detail * 0x9e3779b97f4a7c15U)) * 0xff51afd7ed558ccdU;
  return mixed ^ (mixed >> 32U);
}

}  // namespace

CellKey CellSums::key_of(CellKey const& call) const {
  return {.communicator = is_by(by_comm) ? call.communicator : CommunicatorIndex{},
          .operation = is_by(by_op) ? call.operation : OperationIndex{},
          .size = is_by(by_size) ? call.size : SizeBin{},
          .site = is_by(by_site) ? call.site : CallSiteIndex{},
          .rank = is_by(by_rank) ? call.rank : WorldRank{}};
}

std::size_t CellSums::place_of(CellKey const& key) {
  // The rows of one rank are mostly in the order of those of the rank before.
  for (std::size_t const guess : {last_, last_ + 1})
    if (guess < cells_.size() && cells_[guess].key() == key) return last_ = guess;
  if (2 * cells_.size() >= slots_.size()) grow();
  std::size_t slot = hash_of(key) & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1))
    if (cells_[slots_[slot] - 1].key() == key) return last_ = slots_[slot] - 1;
  cells_.push_back({key});
  if (has_spread()) spreads_.emplace_back();
  slots_[slot] = static_cast<std::uint32_t>(cells_.size());
  return last_ = cells_.size() - 1;
}

void CellSums::grow() {
  constexpr std::size_t least = 64;
  slots_.assign(std::max(least, 2 * slots_.size()), 0);
  for (std::size_t place = 0; place < cells_.size(); ++place) {
    std::size_t slot = hash_of(cells_[place].key()) & (slots_.size() - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(place + 1);
  }
}

void CellSums::add_row(Cell const& row) {
  std::size_t const place = place_of(key_of(row));
  cells_[place].add_calls(row);
  if (!has_spread()) return;
  if (place == latest_.size()) latest_.push_back({row.rank, {}});
  OfRank& latest = latest_[place];
  if (latest.rank != row.rank) {
    end_rank(place);
    latest = {row.rank, {}};
  }
  latest.time_s += row.totals.time_s;
}

void CellSums::end_rank(std::size_t place) {
  auto const [rank, time_s] = latest_[place];
  spreads_[place].append({1, {time_s, rank}, {time_s, rank}});
}

void CellSums::end_ranks() {
  for (std::size_t place = 0; place < latest_.size(); ++place) end_rank(place);
  latest_ = {};
}

void CellSums::add_sum(Cell const& sum) {
  std::size_t const before = cells_.size(), place = place_of(key_of(sum));
  cells_[place].add_calls(sum);
  if (!has_spread()) return;
  if (sum.spread != nullptr && (place == before || ranks_ == Ranks::ascending)) spreads_[place].append(*sum.spread);
  else spreads_[place] = {};
}

void CellSums::append(CellSums&& later) {
  end_ranks();
  later.end_ranks();
  for (std::size_t place = 0; place < later.cells_.size(); ++place) {
    Cell& cell = later.cells_[place];
    if (has_spread()) cell.spread = &later.spreads_[place];
    add_sum(cell);
  }
  later = CellSums(later.list_, later.ranks_);
}

void CellSums::complete_spreads(Cells const& known) {
  for (std::size_t place = 0; has_spread() && place < cells_.size(); ++place) {
    auto const found = std::ranges::lower_bound(known, cells_[place].key(), {}, &Cell::key);
    bool const is_there = found != known.end() && found->key() == cells_[place].key();
    if (spreads_[place].ranks() == 0 && is_there) spreads_[place] = *found->spread;
  }
}

Cells CellSums::take(std::function<void(CellKey&)> const& change_key) {
  end_ranks();
  slots_ = {};
  auto const spreads = std::make_shared<std::vector<RankSpread>>(std::move(spreads_));
  for (std::size_t place = 0; place < cells_.size(); ++place) {
    cells_[place].spread = has_spread() && (*spreads)[place].ranks() > 0 ? &(*spreads)[place] : nullptr;
    if (change_key) change_key(cells_[place]);
  }
  if (!std::ranges::is_sorted(cells_, {}, &Cell::key)) std::ranges::sort(cells_, {}, &Cell::key);
  cells_.spreads = spreads;
  return std::exchange(cells_, {});
}

}  // namespace mpisee_through
