#include "profile/collector.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/temporary_directory.hpp"

using namespace commprof;

namespace {

// The rows of communicators.csv after these parts have been offered, and their number.
struct Offered {
  std::string rows;
  std::uint64_t count;
};
Offered offered(std::vector<std::string> const& parts) {
  TemporaryDirectory const directory;
  OutputDirectory output;
  REQUIRE(output.open((directory / "profile").c_str()));
  Collector collector(output);
  for (std::string const& part : parts) collector.take_offers(File::communicators, part);
  collector.finish();
  std::uint64_t const count = collector.total().rows[static_cast<std::size_t>(File::communicators)];
  REQUIRE(output.publish());
  std::string const text = contents(std::string(output.path()) + "/communicators.csv");
  return {text.substr(text.find('\n') + 1), count};
}

}  // namespace

TEST_CASE("of the rows that processes offer the first one of each name is taken") {
  auto const [rows, count] =
      offered({"W_a1,first\nW_d1,first\n", "W_d1,second\nW_d2,second\nW_a1,second\nW_d3,second\nW_d4,second\n"});
  CHECK(rows == "W_a1,first\nW_d1,first\nW_d2,second\nW_d3,second\nW_d4,second\n");
  CHECK(count == 5);
}
