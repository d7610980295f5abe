// Builds the JSON of the page in parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/json.hpp"
#include "report/packed_column.hpp"
#include "report/report_data.hpp"

namespace mpisee_through {

// Turns rows of a table into columns.
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

// The contents of the terminal's first page: what ranks were in when they ended, findings, the most uneven operation,
// efficiencies.
[[nodiscard]] Json story_json(FirstScreen const& screen);

// The tables of the page by name, each as views/views.cpp writes the part of a page.
[[nodiscard]] std::string tables_json(ReportData const& data);

// The windows of time, with a share of time for each kind of call. The profile must have windows.
[[nodiscard]] Json windows_json(TimeWindows const& single);

// Null if the profile has no call sites.
[[nodiscard]] Json sites_json(ReportData const& data);

}  // namespace mpisee_through
