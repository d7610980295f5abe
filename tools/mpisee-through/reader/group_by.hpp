// Maps from text, and sums of the rows of a table by keys, with all threads.
//
//   auto const waited_s = group_by<RankWaitRow>(
//       profile, every_row, Grouping(&RankWaitRow::rank, &RankWaitRow::wait_s, SortedSums<WorldRank, Seconds>()));
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reader/profile_reader.hpp"
#include "reader/rows.hpp"

namespace mpisee_through {

// A map from text. find() copies the text: the library of GCC 10 looks up strings only.
template <class Value>
struct TextMap : std::unordered_map<std::string, Value> {
  auto find(std::string_view text) { return this->std::unordered_map<std::string, Value>::find(std::string(text)); }
  auto find(std::string_view text) const {
    return this->std::unordered_map<std::string, Value>::find(std::string(text));
  }
};

// Remembers a value for each name. Many rows have the same name, mostly in a row.
template <class Value>
class Memo {
 public:
  Memo() = default;
  Memo(Memo const& other) : values_(other.values_) {}
  Memo(Memo&& other) noexcept : values_(std::move(other.values_)), last_(std::exchange(other.last_, nullptr)) {}
  ~Memo() = default;
  Memo& operator=(Memo const&) = delete;

  // find(): computes the value of a new name.
  template <class Find>
  Value& get(std::string_view name, Find const& find) {
    if (last_ != nullptr && last_->first == name) return last_->second;
    auto known = values_.find(name);
    if (known == values_.end()) known = values_.emplace(name, find()).first;
    last_ = &*known;
    return last_->second;
  }

  [[nodiscard]] TextMap<Value>& values() { return values_; }

 private:
  TextMap<Value> values_;
  std::pair<std::string const, Value>* last_ = nullptr;
};

// Numbers texts from 0 on, in the order in which they come. Any thread may ask for a number.
template <class Number>
class NumberedTexts {
 public:
  [[nodiscard]] Number number_of(std::string_view text) {
    std::lock_guard const lock(mutex_);
    auto const known = numbers_.find(text);
    if (known != numbers_.end()) return known->second;
    auto const number = static_cast<Number>(texts_.size());
    numbers_.emplace(text, number);
    texts_.emplace_back(text);
    return number;
  }
  [[nodiscard]] std::vector<std::string> const& all() const { return texts_; }

 private:
  std::mutex mutex_;
  TextMap<Number> numbers_;
  std::vector<std::string> texts_;
};

// The sum of all numbers of a table that are added up. If it can be counted, so can the sums of some rows.
struct RowTotal {
  std::uint64_t count = 0, bytes = 0;
  Seconds time_s{};

  // False on overflow.
  [[nodiscard]] bool add(RowTotal const& other) {
    time_s += other.time_s;
    return !__builtin_add_overflow(count, other.count, &count) && !__builtin_add_overflow(bytes, other.bytes, &bytes) &&
           time_s.is_countable();
  }
};

template <class Row>
requires requires(Row row) { row.bytes_received; }
[[nodiscard]] RowTotal total_of(Row const& row) {
  std::uint64_t bytes = 0;
  bool const overflows = __builtin_add_overflow(row.bytes_sent, row.bytes_received, &bytes);
  return {row.calls, overflows ? UINT64_MAX : bytes, row.time_s};
}
[[nodiscard]] inline RowTotal total_of(PeerRow const& row) { return {row.messages, row.bytes}; }
[[nodiscard]] inline RowTotal total_of(HostPairRow const& row) { return {row.messages, row.bytes}; }
[[nodiscard]] inline RowTotal total_of(RegionRow const& row) { return {row.entered, 0, row.wall_s + row.mpi_s}; }
[[nodiscard]] inline RowTotal total_of(WhenRow const& row) { return {row.calls, row.bytes, row.mpi_s}; }
[[nodiscard]] inline RowTotal total_of(WaitRow const& row) { return {row.calls, 0, row.time_s + row.wait_s}; }
[[nodiscard]] inline RowTotal total_of(RankWaitRow const& row) {
  return {row.instants.value_or(0), 0, row.time_s + row.wait_s};
}
[[nodiscard]] inline RowTotal total_of(PairWaitRow const& row) { return {0, 0, row.wait_s}; }
[[nodiscard]] inline RowTotal total_of(CauseRow const& row) { return {0, 0, row.caused_s}; }

// Calls take() for each row of a small table, in the order of the file. Throws ProfileError, also if the sum of all
// rows cannot be counted.
template <class Row, class Take>
void for_each_row(Profile const& profile, Take const& take) {
  RowTotal all;
  Rows<Row> rows(profile);
  while (Row const* row = rows.next()) {
    if (!all.add(total_of(*row))) rows.fail(beyond_counting);
    take(*row);
  }
}

// Sums by a key with few values, such as an enumeration or a bool.
template <std::size_t count, class Sum>
class IndexedSums {
 public:
  template <class Key>
  void add(Key key, Sum const& summand) {
    sums_[static_cast<std::size_t>(key)] += summand;
  }
  void add(IndexedSums&& later) {
    for (std::size_t i = 0; i < count; ++i) sums_[i] += later.sums_[i];
  }
  template <class Key>
  [[nodiscard]] Sum const& operator[](Key key) const {
    return sums_[static_cast<std::size_t>(key)];
  }
  [[nodiscard]] std::array<Sum, count> const& all() const { return sums_; }

 private:
  std::array<Sum, count> sums_{};
};

// Sums by key, for many keys that come mostly in order, with repetitions in a row. A vector that is sorted from time to
// time is faster than a hash table and needs a third of its memory. Memory grows with the number of different keys, not
// of summands.
//
// Sum has operator+=, Key operators < and ==.
template <class Key, class Sum>
class SortedSums {
 public:
  struct Entry {
    Key key;
    Sum sum;
  };

  void add(Key const& key, Sum const& summand) {
    if (!entries_.empty() && entries_.back().key == key) {
      entries_.back().sum += summand;
      return;
    }
    if (entries_.size() >= limit_) {
      merge();
      limit_ = std::max(smallest_limit, 2 * entries_.size());
    }
    entries_.push_back({key, summand});
  }

  void add(SortedSums&& other) {
    for (auto const& [key, sum] : other.take()) add(key, sum);
  }

  // The sums, ascending by key, each key once. Leaves this object empty.
  [[nodiscard]] std::vector<Entry> take() {
    merge();
    return std::move(entries_);
  }

 private:
  static constexpr std::size_t smallest_limit = 4096;

  void merge() {
    if (!std::ranges::is_sorted(entries_, {}, &Entry::key)) std::ranges::sort(entries_, {}, &Entry::key);
    std::size_t last = 0;
    for (std::size_t i = 1; i < entries_.size(); ++i) {
      if (entries_[i].key == entries_[last].key) {
        entries_[last].sum += entries_[i].sum;
      } else {
        entries_[++last] = entries_[i];
      }
    }
    if (!entries_.empty()) entries_.resize(last + 1);
  }

  std::vector<Entry> entries_;
  std::size_t limit_ = smallest_limit;
};

// One way to group rows. Key and Value are applied to a row: a member of the row, or a function. A row whose key is an
// empty optional is in no group. A function may have a state, such as a Memo: each part of the table has a copy of its
// own. A function throws RowProblem for a row that must not occur.
//
// Sums has add(key, value), and add(Sums&&) for the sums of rows further down: SortedSums, IndexedSums.
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
