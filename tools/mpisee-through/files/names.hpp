#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace mpisee_through {

// The names of an enumeration's values in files, options and error messages.
template <class Enum, std::size_t count>
struct Names {
  struct Row {
    Enum value;
    std::string_view name;
  };
  std::array<Row, count> rows;  // further names of a value can be read but are not listed

  [[nodiscard]] constexpr std::string_view of(Enum value) const {
    return std::ranges::find(rows, value, &Row::value)->name;
  }
  [[nodiscard]] constexpr std::optional<Enum> parse(std::string_view name) const {
    auto const found = std::ranges::find(rows, name, &Row::name);
    return found == rows.end() ? std::nullopt : std::optional(found->value);
  }
  // Lists the names: "bytes, messages".
  [[nodiscard]] std::string list() const {
    std::string list;
    for (Row const& one : rows)
      if (of(one.value) == one.name) list.append(list.empty() ? "" : ", ").append(one.name);
    return list;
  }
  static constexpr std::size_t size() { return count; }
  // A table with all these names and one more.
  [[nodiscard]] constexpr Names<Enum, count + 1> with(Enum value, std::string_view name) const {
    Names<Enum, count + 1> more{};
    for (std::size_t i = 0; i < count; ++i) more.rows[i] = {rows[i].value, rows[i].name};
    more.rows[count] = {value, name};
    return more;
  }
};

// The names of values that count from 0, in their order.
template <class Enum, std::size_t count>
constexpr Names<Enum, count> names_in_order(std::array<std::string_view, count> const& names) {
  Names<Enum, count> all{};
  for (std::size_t i = 0; i < count; ++i) all.rows[i] = {static_cast<Enum>(i), names[i]};
  return all;
}

}  // namespace mpisee_through
