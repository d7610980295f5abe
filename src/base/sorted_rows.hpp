// Arrays of rows that are sorted and added up by their keys. A row has key(), and += for one with an equal key.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/memory.hpp"

namespace commprof {

// Sorts rows, and adds up those with equal keys by add(row, other).
template <class Row, class Add>
void order_rows(LastingVector<Row>& rows, Add&& add) {
  std::sort(rows.begin(), rows.end(), [](Row const& a, Row const& b) { return a.key() < b.key(); });
  join_neighbours(
      rows, [](Row const& a, Row const& b) { return a.key() == b.key(); }, add);
}
template <class Row>
void order_rows(LastingVector<Row>& rows) {
  order_rows(rows, [](Row& row, Row const& other) { row += other; });
}

// Adds sorted rows to sorted rows, in a time that is linear in both. False if memory is used up: new keys are missing.
template <class Row>
bool merge_rows(LastingVector<Row>& rows, LastingVector<Row> const& others) {
  std::size_t left = rows.size(), fresh = 0;
  Row* own = rows.begin();
  for (Row const& other : others) {
    while (own != rows.end() && own->key() < other.key()) ++own;
    if (own != rows.end() && own->key() == other.key()) *own += other;
    else ++fresh;
  }
  if (!rows.resize(left + fresh)) return false;
  // From the end, where there is room now.
  Row const* other = others.end();
  for (Row* to = rows.end(); fresh > 0;) {
    Row const* const last = left > 0 ? rows.begin() + left - 1 : nullptr;
    if (last != nullptr && other[-1].key() < last->key()) {
      *--to = *last;
      --left;
    } else if (last != nullptr && last->key() == other[-1].key()) {
      --other;  // is added already
    } else {
      *--to = *--other;
      --fresh;
    }
  }
  return true;
}

}  // namespace commprof
