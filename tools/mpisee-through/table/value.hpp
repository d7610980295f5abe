// A cell holds a value. The kind of its column alone decides how each form writes it.
#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "reader/seconds.hpp"

namespace mpisee_through {

// Members keep the order in which they were added.
using Json = nlohmann::ordered_json;

// In a line. Bytes that are no UTF-8 come from files alone; they are replaced.
[[nodiscard]] inline std::string dump(Json const& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace mpisee_through

namespace mpisee_through::table {

enum class Kind {
  name,         // text, to the left
  figure,       // text that contains a number, to the right: "82.0 ± 3.1 %"
  number,       // a whole number that is not a count: a rank, a port
  count,        // 1,234; a mean of counts has one decimal if it is not whole
  bytes,        // 1.500 KiB
  seconds,      // 12.35 ms
  share,        // 0 to 1: 12.3 %
  ratio,        // three significant digits: 1.25
  coefficient,  // -1 to 1: 0.900
  probability,  // 0.34, 0.0012, <1e-06
  flag,         // yes or no
  bar,          // a bar of characters; not on a page
};

// The name in JSON: "seconds".
[[nodiscard]] std::string_view name_of(Kind kind);

// Whether the value is exact, a limit or an estimate.
enum class Bound { none, at_most, at_least, estimated };

class Value {
 public:
  Value() = default;  // unknown
  // NOLINTBEGIN(google-explicit-constructor): a column's function returns any of these
  Value(std::string text) : value_(std::move(text)) {}
  Value(std::string_view text) : value_(std::string(text)) {}
  Value(char const* text) : value_(std::string(text)) {}
  Value(double number) : value_(number) {}
  Value(Seconds time) : value_(static_cast<double>(time)) {}
  Value(std::same_as<bool> auto flag) : value_(flag) {}
  template <std::unsigned_integral Number>
  requires(!std::same_as<Number, bool>) Value(Number number) : value_(std::uint64_t{number}) {}
  template <std::signed_integral Number>
  Value(Number number) : value_(std::int64_t{number}) {}
  template <class Known>
  Value(std::optional<Known> const& value) {
    if (value) *this = Value(*value);
  }
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool is_known() const { return !std::holds_alternative<std::monostate>(value_); }
  [[nodiscard]] Bound bound() const { return bound_; }
  // The number by which a page sorts a text; nothing if the text itself decides.
  [[nodiscard]] std::optional<double> order() const { return order_; }

  // Short text with a unit: "12.35 ms", "at most 12.3 %", "-".
  [[nodiscard]] std::string text(Kind kind) const;
  // Appends all digits; nothing if the value is unknown.
  void add_csv(std::string& line) const;
  // The value with all digits; null if unknown.
  [[nodiscard]] Json json() const;

  [[nodiscard]] friend Value bounded(Value value, Bound bound) {
    if (value.is_known()) value.bound_ = bound;
    return value;
  }
  [[nodiscard]] friend Value ordered(Value text, std::optional<double> order) {
    text.order_ = order;
    return text;
  }

 private:
  [[nodiscard]] std::string text_of_number(Kind kind) const;

  std::variant<std::monostate, std::string, double, std::uint64_t, std::int64_t, bool> value_;
  Bound bound_ = Bound::none;
  std::optional<double> order_{};
};

Value bounded(Value value, Bound bound);
Value ordered(Value text, std::optional<double> order);

[[nodiscard]] constexpr bool is_to_the_left(Kind kind) {
  return kind == Kind::name || kind == Kind::flag || kind == Kind::bar;
}

// The words "at most", "at least" or "estimated"; empty for no bound.
[[nodiscard]] std::string_view words_of(Bound bound);

}  // namespace mpisee_through::table
