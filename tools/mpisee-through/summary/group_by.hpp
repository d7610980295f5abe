// Sums the rows of a table by keys, with all threads.
//
//   auto const waited_s = group_by<RankWaitRow>(
//       profile, every_row, Grouping(&RankWaitRow::rank, &RankWaitRow::wait_s, SortedSums<WorldRank, Seconds>()));
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "reader/read_parts.hpp"
#include "summary/row_total.hpp"

namespace mpisee_through {

// One way to group rows. Key and Value are applied to a row: a member of the row, or a function. A row whose key is an
// empty optional is in no group. A function may have a state, such as a Memo: each part of the table has a copy of its
// own. A function throws RowProblem for a row that must not occur.
//
// Sums has add(key, value), and add(Sums&&) for the sums of rows further down: SortedSums, IndexedSums, TextSums.
template <class Key, class Value, class Sums>
class Grouping {
 public:
  // empty: has no sums yet.
  Grouping(Key key, Value value, Sums empty)
      : key_(std::move(key)), value_(std::move(value)), sums_(std::move(empty)) {}

  template <class Row>
  void add(Row const& row) {
    add_to(std::invoke(key_, row), row);
  }
  void add(Grouping&& later) { sums_.add(std::move(later.sums_)); }
  [[nodiscard]] Sums take() { return std::move(sums_); }

 private:
  template <class Group, class Row>
  void add_to(Group const& group, Row const& row) {
    sums_.add(group, std::invoke(value_, row));
  }
  template <class Group, class Row>
  void add_to(std::optional<Group> const& group, Row const& row) {
    if (group) add_to(*group, row);
  }

  Key key_;
  Value value_;
  Sums sums_;
};

struct RowProblem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A filter that is a condition on a row.
template <class Condition>
struct Where {
  explicit constexpr Where(Condition condition) : selects(std::move(condition)) {}
  void add(Where const& /*other*/) const {}
  Condition selects;
};
inline constexpr Where every_row([](auto const& /*row*/) { return true; });

// Reads a table and sums its selected rows. Returns the Sums of the groupings, in a tuple if there are several. Sums
// whose addition is exact do not depend on the number of threads.
//
// filter has selects(row), which sees each row once, and add(filter) for what another part's copy of it has noted.
// Throws ProfileError, also if the sum of all rows, selected or not, cannot be counted.
template <class Row, class Filter, class... Groupings>
auto group_by(Profile const& profile, Filter& filter, Groupings const&... groupings) {
  struct Part {
    std::remove_const_t<Filter> filter;
    std::tuple<Groupings...> groupings;
    RowTotal all{};
  };
  std::vector<Part> parts = read_in_parts<Rows<Row>>(profile, [&](Rows<Row>& rows) {
    Part part{filter, {groupings...}};
    try {
      while (Row const* row = rows.next()) {
        if (!part.all.add(total_of(*row))) rows.fail(beyond_counting);
        if (part.filter.selects(*row)) std::apply([row](auto&... one) { (one.add(*row), ...); }, part.groupings);
      }
    } catch (RowProblem const& problem) {
      rows.fail(problem.what());
    }
    return part;
  });
  RowTotal all;
  for (Part const& part : parts) {
    if (!all.add(part.all)) Rows<Row>::fail(profile, beyond_counting);
    filter.add(part.filter);
  }
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    auto sums_of = [&](auto one) {
      auto& sum = std::get<one>(parts.front().groupings);
      for (std::size_t k = 1; k < parts.size(); ++k) sum.add(std::move(std::get<one>(parts[k].groupings)));
      return sum.take();
    };
    if constexpr (sizeof...(i) == 1) return (sums_of(std::integral_constant<std::size_t, i>()), ...);
    else return std::tuple(sums_of(std::integral_constant<std::size_t, i>())...);
  }
  (std::index_sequence_for<Groupings...>());
}

}  // namespace mpisee_through
