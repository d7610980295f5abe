#include "profile/sums.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "support/process.hpp"

using namespace commprof;

namespace {

constexpr std::size_t calling_sites = 10'000;

// The calls of a process that calls MPI_Send once at each site.
std::vector<Record> records_at_sites() {
  std::vector<Record> all;
  for (std::size_t i = 1; i <= calling_sites; ++i) {
    Record record{};
    record.key = RecordKey::of(CommIndex::world, static_cast<ScopeIndex>(i), Op::Send, size_bin(8));
    record.add({8, 0}, {1});
    all.push_back(record);
  }
  return all;
}

}  // namespace

TEST_CASE("the sums of calls at ten thousand sites fit into ten megabytes") {
  Registry registry;
  registry.add({});
  registry.add({});
  std::vector<Record> const records = records_at_sites();
  Process process(0, 2, "node0", registry, records, {});
  process.sites.restore_module("/bin/program", "", "");
  for (std::size_t i = 1; i <= calling_sites; ++i) {
    process.sites.restore(Sites::Site{0, SiteIndex::none, static_cast<std::uint32_t>(i)});
    process.sites.restore(Sites::Scope{RegionIndex::main, static_cast<SiteIndex>(i)}, 1);
  }
  std::size_t const before = mapped_bytes();
  Sums sums;
  REQUIRE(sums.take(process.rows));
  CHECK(mapped_bytes() - before < 10'000'000);
}
