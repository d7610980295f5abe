#include "counters/regions.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "base/dropped.hpp"
#include "support/memory_shortage.hpp"

using namespace commprof;
using Ending = Regions::Ending;

namespace {

// Regions of a run that begins at time 0, and the number of those folded since.
struct Run {
  std::unique_ptr<Regions> regions = std::make_unique<Regions>();
  std::uint64_t folded_before = folded_total();

  Run() { REQUIRE(regions->start({0})); }
  static std::uint64_t folded_total() { return (*dropped::counts)[Folded::regions].load(); }
  std::uint64_t folded() const { return folded_total() - folded_before; }
  std::string path(RegionIndex region) const {
    std::string room(Regions::max_path, '\0');
    return std::string(regions->path(region, room.data()));
  }
  std::string begin(std::string_view name, std::uint64_t at = 0) { return path(regions->begin(name, {at})); }
  Ending end(std::string_view name = {}, std::uint64_t at = 0) { return regions->end(name, {at}); }
  RegionTotals totals(RegionIndex region, std::uint64_t at) {
    regions->take_stock({at});
    return regions->totals(region);
  }
};

}  // namespace

TEST_CASE("a long name is cut off between characters") {
  constexpr std::size_t max = RegionName::max_bytes;
  for (std::size_t const plain : {max - 3, max - 2, max - 1, max}) {
    INFO(plain);
    std::string const before(plain, 'x');
    CHECK(RegionName(before + "ö").text() == before + (plain + 2 <= max ? "ö" : ""));
  }
}

TEST_CASE("time belongs to the innermost region, and all of it adds up") {
  Run run;
  RegionIndex const solve = run.regions->begin("solve", {10});
  RegionIndex const halo = run.regions->begin("halo", {13});
  run.end("nothing of that name", 14);
  run.end("halo", 20);
  run.end("solve", 21);
  run.regions->begin("solve", {30});
  // 0-10 and 21-30; 10-13, 20-21 and 30-35; 13-20
  CHECK(run.totals(RegionIndex::main, 35).wall.count == 19);
  CHECK(run.totals(solve, 35).wall.count == 9);
  CHECK(run.totals(halo, 35).wall.count == 7);
  CHECK(run.totals(solve, 40).wall.count == 14);  // it is still open
  CHECK((run.totals(RegionIndex::main, 40).entered == 1 && run.totals(solve, 40).entered == 2));
  run.end("solve", 39);  // a clock that runs back by a little takes no time away
  CHECK(run.totals(solve, 42).wall.count == 14);
  CHECK(run.totals(RegionIndex::main, 42).wall.count == 21);
}

TEST_CASE("what is written does not change until stock is taken again") {
  Run run;
  RegionIndex const solve = run.regions->begin("solve", {10});
  run.regions->take_stock({15});
  run.regions->add_mpi_time(solve, {3});
  run.end("solve", 20);
  run.begin("solve", 21);
  CHECK(run.regions->totals(solve).wall.count == 5);
  CHECK(run.regions->totals(solve).entered == 1);
  CHECK(run.regions->totals(solve).mpi.count == 3);
  CHECK(run.totals(solve, 22).mpi.count == 0);
}

TEST_CASE("without memory regions count as the one around them") {
  Run run;
  {
    MemoryShortage const shortage;
    CHECK(run.begin("solve") == "main");
    CHECK(run.end("solve") == Ending::done);
    CHECK(run.folded() == 1);
    CHECK_FALSE(std::make_unique<Regions>()->start({0}));
  }
  CHECK(run.begin("solve") == "solve");
}
