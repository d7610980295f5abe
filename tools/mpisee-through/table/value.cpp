#include "table/value.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include "text/csv_field.hpp"
#include "text/units.hpp"

namespace mpisee_through::table {

std::string_view words_of(Bound bound) {
  switch (bound) {
    case Bound::at_most:
      return "at most";
    case Bound::at_least:
      return "at least";
    case Bound::estimated:
      return "estimated";
    case Bound::none:
      break;
  }
  return "";
}

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::name:
      return "name";
    case Kind::figure:
      return "figure";
    case Kind::number:
      return "number";
    case Kind::count:
      return "count";
    case Kind::bytes:
      return "bytes";
    case Kind::seconds:
      return "seconds";
    case Kind::share:
      return "share";
    case Kind::ratio:
      return "ratio";
    case Kind::coefficient:
      return "coefficient";
    case Kind::probability:
      return "probability";
    case Kind::flag:
      return "flag";
    case Kind::bar:
      return "bar";
  }
  return "";
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
  if (whole != nullptr && kind == Kind::bytes) return format_bytes(*whole);
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
