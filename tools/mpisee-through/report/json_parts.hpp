// The JSON of the page in parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/json.hpp"
#include "report/packed_column.hpp"
#include "report/report_data.hpp"

namespace mpisee_through {

// Rows of a table of the page, turned into columns.
template <class Rows, class Number>
std::string counts_of(Rows const& rows, Number number) {
  std::vector<std::uint64_t> column;
  column.reserve(rows.size());
  for (auto const& row : rows) column.push_back(static_cast<std::uint64_t>(number(row)));
  return pack_counts(column);
}
template <class Rows, class Number>
std::string seconds_of(Rows const& rows, Number number) {
  std::vector<double> column;
  column.reserve(rows.size());
  for (auto const& row : rows) column.push_back(number(row));
  return pack_seconds(column);
}

// What the terminal shows first: what ranks were in when they ended, findings, the most uneven operation, efficiencies.
[[nodiscard]] Json story_json(FirstScreen const& screen);

// Null for a profile without call sites.
[[nodiscard]] Json sites_json(ReportData const& data);

// Links, their levels, and their picture.
[[nodiscard]] Json links_json(LinkSums const& sums);

}  // namespace mpisee_through
