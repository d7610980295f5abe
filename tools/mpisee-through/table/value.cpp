#include "table/value.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>

#include "text/units.hpp"

namespace mpisee_through::table {

namespace {

// In quotes if it contains a separator or a quote, as RFC 4180 says; quotes inside are doubled. Names contain no line
// breaks.
void add_csv_field(std::string& line, std::string_view field) {
  if (field.find_first_of(",\"") == field.npos) {
    line += field;
    return;
  }
  line += '"';
  for (char const character : field) line.append(character == '"' ? 2 : 1, character);
  line += '"';
}

}  // namespace

std::string_view words_of(Bound bound) {
  constexpr std::array<std::string_view, 4> words{"", "at most", "at least", "estimated"};
  return words[static_cast<std::size_t>(bound)];
}

std::string_view name_of(Kind kind) {
  constexpr std::array<std::string_view, 12> names{"name",  "figure", "number",      "count",       "bytes", "seconds",
                                                   "share", "ratio",  "coefficient", "probability", "flag",  "bar"};
  return names[static_cast<std::size_t>(kind)];
}

std::string Value::text(Kind kind) const {
  if (!is_known()) return "-";
  if (auto const* const text = std::get_if<std::string>(&value_)) return *text;
  if (auto const* const flag = std::get_if<bool>(&value_)) return *flag ? "yes" : "no";
  if (bound_ == Bound::none) return text_of_number(kind);
  return fmt::format("{} {}", words_of(bound_), text_of_number(kind));
}

std::string Value::text_of_number(Kind kind) const {
  auto const* const whole = std::get_if<std::uint64_t>(&value_);
  auto const* const below_zero = std::get_if<std::int64_t>(&value_);
  auto const* const real = std::get_if<double>(&value_);
  double const number = real != nullptr    ? *real
                        : whole != nullptr ? static_cast<double>(*whole)
                                           : static_cast<double>(*below_zero);
  if (kind == Kind::seconds) return format_seconds(number);
  if (kind == Kind::share) return format_share(number);
  if (kind == Kind::ratio) return fmt::format("{:.3g}", number);
  if (kind == Kind::coefficient) return fmt::format("{:.3f}", number);
  if (kind == Kind::probability) return number < 1e-6 ? "<1e-06" : fmt::format("{:.2g}", number);
  if (kind == Kind::bytes && number >= 0)
    return format_bytes(whole != nullptr ? *whole : static_cast<std::uint64_t>(number));
  if (whole != nullptr && kind == Kind::count) return format_count(*whole);
  if (real == nullptr) return whole != nullptr ? fmt::format("{}", *whole) : fmt::format("{}", *below_zero);
  auto const rounded = static_cast<std::uint64_t>(number);
  return static_cast<double>(rounded) == number ? format_count(rounded) : fmt::format("{:.1f}", number);
}

void Value::add_csv(std::string& line) const {
  // A format string parsed at compile time halves the formatting time.
  auto const add_number = [&line](auto number) {
    char digits[32];
    line.append(digits, fmt::format_to(digits, FMT_COMPILE("{}"), number));
  };
  if (auto const* const text = std::get_if<std::string>(&value_)) add_csv_field(line, *text);
  else if (auto const* const flag = std::get_if<bool>(&value_)) line += *flag ? '1' : '0';
  else if (auto const* const real = std::get_if<double>(&value_)) add_number(*real);
  else if (auto const* const whole = std::get_if<std::uint64_t>(&value_)) add_number(*whole);
  else if (auto const* const below_zero = std::get_if<std::int64_t>(&value_)) add_number(*below_zero);
}

Json Value::json() const {
  return std::visit(
      [](auto const& value) {
        if constexpr (std::same_as<std::remove_cvref_t<decltype(value)>, std::monostate>) return Json();
        else return Json(value);
      },
      value_);
}

}  // namespace mpisee_through::table
