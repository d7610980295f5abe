#include "counters/regions.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "base/dropped.hpp"
#include "base/text.hpp"
#include "support/memory_shortage.hpp"

using namespace commprof;
using Ending = Regions::Ending;

namespace {

std::string shown(std::string_view name) { return std::string(RegionName(name).text()); }

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

TEST_CASE("a name is shown in one line of UTF-8, without a separator, and cut off between characters") {
  CHECK(shown("with, \"comma\"  Größe √ 🙂") == "with, \"comma\"  Größe √ 🙂");
  CHECK(shown("a/b") == "a\\x2fb");
  CHECK(shown("two\nlines\r\x7f") == "two\\x0alines\\x0d\\x7f");
  CHECK(shown("\xff\xc3\xc2\x9b") == "\\xff\\xc3\\xc2\\x9b");  // the last is a control character of Latin-1
  CHECK(shown("") == "(unnamed)");
  constexpr std::size_t max = RegionName::max_bytes;
  CHECK(shown(std::string(10'000, 'x')) == std::string(max, 'x'));
  CHECK(shown(std::string(max - 1, 'x') + "ö") == std::string(max - 1, 'x'));
  CHECK(shown(std::string(max - 2, 'x') + "ö") == std::string(max - 2, 'x') + "ö");
  CHECK(shown(std::string(max - 3, 'x') + "\n") == std::string(max - 3, 'x'));
  CHECK(shown(std::string(10'000, '\xff')).size() == max / 4 * 4);
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

TEST_CASE("regions nested too deeply count as the deepest one") {
  Run run;
  for (std::size_t i = 0; i < Regions::max_depth; ++i) run.begin(std::string(300, 'x'));
  RegionIndex const deepest = run.regions->current();
  CHECK(run.path(deepest).size() == Regions::max_path - 1);
  CHECK(run.folded() == 0);
  for (int i = 0; i < 100; ++i) CHECK(run.regions->begin("y", {0}) == deepest);
  CHECK(run.folded() == 100);
  CHECK(run.regions->open() == Regions::max_depth + 100);
  for (int i = 0; i < 100; ++i) CHECK(run.end("z") == Ending::done);
  CHECK(run.regions->current() == deepest);
  CHECK(run.end("z") == Ending::of_another_name);
  for (std::size_t i = 0; i < Regions::max_depth; ++i) CHECK(run.end() == Ending::done);
  CHECK(run.end() == Ending::none_is_open);
}

TEST_CASE("regions beyond the greatest number count as the one around them") {
  Run run;
  run.regions->set_max_regions(3);
  for (char const* const name : {"a", "b", "c"}) {
    CHECK(run.begin(name) == name);
    run.end(name);
  }
  CHECK(run.begin("d") == "main");
  CHECK(run.end("e") == Ending::of_another_name);
  CHECK(run.end("d") == Ending::done);
  CHECK(run.folded() == 1);
  CHECK(run.begin("b") == "b");  // this name is known
  CHECK(run.begin("a") == "b");
  CHECK(run.folded() == 2);
  CHECK(run.totals(RegionIndex::main, 0).entered == 1);
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
