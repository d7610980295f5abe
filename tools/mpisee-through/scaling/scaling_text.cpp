#include <fmt/format.h>
#include <fmt/ostream.h>

#include "scaling/scaling_forms.hpp"
#include "text/columns.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

Columns columns_of(TextTable const& table) {
  using namespace align;
  std::vector<Columns::Column> titles;
  for (std::string const& title : table.front()) titles.push_back({title, titles.empty() ? left : right});
  Columns columns(0, titles);
  for (auto const& line : table) columns.fit(line);
  return columns;
}

// As wide as the other table.
void print_table(std::ostream& out, TextTable const& table, TextTable const& other) {
  Columns columns = columns_of(table);
  columns.fit(columns_of(other));
  for (auto const& line : table) columns.print(out, line);
}

void print_extrapolation(std::ostream& out, ScalingShown const& shown) {
  print_fact(out, "Beyond", describe_law(shown));
  for (ExtrapolatedTime const& one : shown.extrapolation.times) print_fact(out, "", describe(one));
}

}  // namespace

void print_scaling(std::ostream& out, ScalingShown const& shown) {
  Scaling const& scaling = shown.scaling;
  print_fact(out, "Program", programs_of(shown.runs));
  if (!shown.region.empty()) print_fact(out, "Region", shown.region);
  print_fact(out, "Runs", describe_runs(shown));
  print_fact(out, "Scaling", describe_kind(scaling));
  for (std::string const& notice : scaling.notices) print_fact(out, "Note", notice);
  out << '\n';
  TextTable const values = table_of_values(scaling), shares = table_of_shares(shown);
  print_table(out, values, shares);
  out << '\n';
  print_table(out, shares, values);
  std::size_t const all = families_by_time(scaling, std::nullopt).size();
  std::size_t const listed = families_by_time(scaling, shown.top).size();
  if (listed < all) fmt::print(out, "Not shown, beyond --top: {}.\n", format_count(all - listed));
  out << '\n';
  print_extrapolation(out, shown);
}

void print_history(std::ostream& out, History const& history) {
  using namespace align;
  TextTable const table = table_of_history(history);
  std::vector<Columns::Column> titles;
  for (std::string const& title : table.front()) titles.push_back({title, titles.size() < 2 ? left : right});
  Columns columns(0, titles);
  for (auto const& line : table) columns.fit(line);
  for (auto const& line : table) columns.print(out, line);
}

}  // namespace mpisee_through
