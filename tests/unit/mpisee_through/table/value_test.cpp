#include "table/value.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>

#include "text/units.hpp"

using namespace mpisee_through;
using namespace mpisee_through::table;

namespace {

constexpr Kind kinds[]{Kind::number, Kind::count, Kind::bytes,       Kind::seconds,
                       Kind::share,  Kind::ratio, Kind::coefficient, Kind::probability};

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

TEST_CASE("numbers are rounded exactly, and the largest ones have a text") {
  CHECK(format_seconds(1.0005) == "1.000 s");  // a little less
  CHECK(format_seconds(1.7e308) == "1.700e+308 s");
  CHECK(format_bytes(UINT64_MAX) == "16.00 EiB");
  CHECK(format_count(UINT64_MAX) == "18,446,744,073,709,551,615");
  CHECK(format_size_bin({std::uint64_t{1} << 63, UINT64_MAX}) == "8 EiB and more");
}
