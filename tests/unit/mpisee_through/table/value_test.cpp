#include "table/value.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

using mpisee_through::Json;
using namespace mpisee_through::table;

namespace {

constexpr Kind kinds[]{Kind::number, Kind::count, Kind::bytes,       Kind::seconds,
                       Kind::share,  Kind::ratio, Kind::coefficient, Kind::probability};

std::string csv(Value const& value) {
  std::string line;
  value.add_csv(line);
  return line;
}

}  // namespace

TEST_CASE("a page formats numbers as text does") {
  std::ifstream file(MPISEE_THROUGH_FORMATTED);
  Json const numbers = Json::parse(file);
  CHECK(numbers.size() > 40);
  for (Json const& one : numbers) {
    CAPTURE(one.dump());
    auto const kind = std::ranges::find(kinds, one[0].get<std::string>(), [](Kind each) { return name_of(each); });
    REQUIRE(kind != std::end(kinds));
    Json const& number = one[1];
    Value const value = number.is_null()              ? Value()
                        : number.is_number_unsigned() ? Value(number.get<std::uint64_t>())
                        : number.is_number_integer()  ? Value(number.get<std::int64_t>())
                                                      : Value(number.get<double>());
    CHECK(value.text(*kind) == one[2].get<std::string>());
  }
}

TEST_CASE("what is not known is a dash, an empty field or null") {
  Value const unknown = std::optional<double>();
  CHECK_FALSE(unknown.is_known());
  CHECK(unknown.text(Kind::seconds) == "-");
  CHECK(csv(unknown).empty());
  CHECK(unknown.json().is_null());
  CHECK(Value(std::optional(0.5)).text(Kind::share) == "50.0 %");
  CHECK(Value("").text(Kind::name).empty());
}

TEST_CASE("a bound says so in text") {
  CHECK(bounded(0.5, Bound::at_most).text(Kind::share) == "at most 50.0 %");
  CHECK(bounded(0.5, Bound::at_least).text(Kind::seconds) == "at least 500.0 ms");
  CHECK(bounded(Value(), Bound::at_most).text(Kind::seconds) == "-");
  CHECK(csv(bounded(0.5, Bound::at_most)) == "0.5");
}
