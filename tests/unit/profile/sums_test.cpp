#include "profile/sums.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/process.hpp"

using namespace commprof;

namespace {

Record record_of(std::size_t scope, std::uint64_t bytes) {
  Record record{};
  record.key = RecordKey::of(CommIndex::world, static_cast<ScopeIndex>(scope), Op::Send, size_bin(bytes));
  record.add({bytes, 0}, {1});
  return record;
}

// A process that calls MPI_Send at many sites, once each.
class Caller {
 public:
  Caller(int rank, std::size_t sites)
      : records_(records_at(sites)), process_(rank, 2, "node0", registry(), records_, {}) {
    Sites& known = process_.sites;
    known.restore_module("/bin/program", "", "");
    for (std::size_t i = 1; i <= sites; ++i) {
      known.restore(Sites::Site{0, SiteIndex::none, static_cast<std::uint32_t>(i)});
      known.restore(Sites::Scope{RegionIndex::main, static_cast<SiteIndex>(i)}, 1);
    }
  }

  RowContext const& rows() const { return process_.rows; }

 private:
  static std::vector<Record> records_at(std::size_t sites) {
    std::vector<Record> all;
    for (std::size_t i = 1; i <= sites; ++i) all.push_back(record_of(i, 8));
    return all;
  }
  static Registry const& registry() {
    static Registry world;
    if (world.size() == 0) {
      world.add({});
      world.add({});
    }
    return world;
  }

  std::vector<Record> records_;
  Process process_;
};

std::size_t rows_with(std::string const& text, std::string const& part) {
  std::size_t rows = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++rows;
  return rows;
}

}  // namespace

TEST_CASE("sums of several processes have a row for each site, and one that covers them") {
  for (auto const& [of_first, of_second] : {std::pair(1, 1), std::pair(1, 3), std::pair(3, 1)}) {
    Caller const first(0, static_cast<std::size_t>(of_first)), second(1, static_cast<std::size_t>(of_second));
    Sums sums, told;
    REQUIRE(sums.take(first.rows()));
    REQUIRE(told.take(second.rows()));
    REQUIRE(sums.add(told));
    std::string const text = written_rows([&](TextWriter& out) { return sums.write(out); });
    std::size_t const sites = static_cast<std::size_t>(std::max(of_first, of_second));
    CHECK(rows_with(text, ",operation\n") == 1);
    CHECK(rows_with(text, ",site\n") == (sites == 1 ? 0 : sites));
    CHECK(rows_with(text, ",size\n") == 1);
    CHECK(rows_with(text, ",part\n") == (sites == 1 ? 0 : sites));
    CHECK(rows_with(text, ",all\n") == sites);
    CHECK(rows_with(text, "program+0x1,Send") >= 1);
  }
}

TEST_CASE("the sums of calls at ten thousand sites fit into ten megabytes") {
  Caller const caller(0, 10'000);
  std::size_t const before = mapped_bytes();
  Sums sums;
  REQUIRE(sums.take(caller.rows()));
  CHECK(mapped_bytes() - before < 10'000'000);
}
