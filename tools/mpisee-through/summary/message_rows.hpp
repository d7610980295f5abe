#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "reader/read_parts.hpp"
#include "summary/row_filter.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

// Adds `other`. False on overflow.
[[nodiscard]] inline bool add_up(Amount& sum, Amount const& other) {
  return !__builtin_add_overflow(sum.messages, other.messages, &sum.messages) &&
         !__builtin_add_overflow(sum.bytes, other.bytes, &sum.bytes);
}

// Reads peers.csv with all threads, and calls add(part, row, amount, is_selected) for each row. Returns the parts in
// the order of the file. The sum of all amounts does not overflow. Throws ProfileError; throws SelectionError for a
// pattern or rank that matches nothing.
template <class Part, class Add>
std::vector<Part> read_messages(Profile const& profile, Selection const& selection, Add const& add) {
  struct Read {
    RowFilter filter;
    Amount all{};
    Part part{};
  };
  check_ranks("--from", selection.from, profile.run());
  check_ranks("--to", selection.to, profile.run());
  RowFilter filter(profile, selection);
  auto read = read_in_parts<PeerRows>(profile, [&](PeerRows& rows) {
    Read one{filter};
    while (PeerRow const* row = rows.next()) {
      Amount const amount{row->messages, row->bytes};
      if (!add_up(one.all, amount)) rows.fail(beyond_counting);
      add(one.part, *row, amount, one.filter.selects(*row));
    }
    return one;
  });
  Amount all;
  std::vector<Part> parts;
  for (Read& one : read) {
    if (!add_up(all, one.all))
      throw ProfileError(profile.files().file(commprof::schema::peers.name).shown, std::nullopt, beyond_counting);
    filter.add(one.filter);
    parts.push_back(std::move(one.part));
  }
  filter.check(profile, "operation behind a message");
  return parts;
}

}  // namespace mpisee_through
