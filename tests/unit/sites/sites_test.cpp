#include "sites/sites.hpp"

#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <climits>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "base/dropped.hpp"
#include "support/memory_shortage.hpp"

using namespace commprof;

namespace {

[[gnu::noinline]] void const* own_return_address() { return __builtin_return_address(0); }

void const* address_after(void const* address, std::size_t bytes) { return static_cast<char const*>(address) + bytes; }

struct SitesOfTest : Sites {
  explicit SitesOfTest(std::uint32_t most) {
    set_max_scopes(most);
    REQUIRE(start());
  }
  ~SitesOfTest() { release(); }

  std::string name_of(ScopeIndex scope) const {
    char room[max_name];
    return std::string(name(site(scope), room));
  }
};

std::uint64_t folded_sites() { return dropped::counts->folded[static_cast<std::size_t>(Folded::sites)]; }

}  // namespace

TEST_CASE("a site in a library names the library, and code that is in none has no site") {
  SitesOfTest table(10);
  void const* const in_libc = dlsym(RTLD_DEFAULT, "qsort");
  CHECK(table.name_of(table.scope_of(ScopeIndex::main, address_after(in_libc, 1))).starts_with("libc.so.6+0x"));
  REQUIRE(table.modules() == 1);
  CHECK((table.path(0).starts_with("/") && table.build_id(0).size() == 40));
  std::vector<char> generated(16);
  CHECK(table.scope_of(ScopeIndex::main, generated.data()) == ScopeIndex::main);
  CHECK(table.scope_of(ScopeIndex::main, nullptr) == ScopeIndex::main);
  table.forget_addresses();
  table.scope_of(ScopeIndex::main, address_after(in_libc, 1));
  CHECK((table.scopes() == 2 && table.modules() == 1));
}

TEST_CASE("a line of source is a site, whatever its module is loaded as") {
  SitesOfTest table(10);
  SiteIndex const caller = table.site_of({"/home/a/main.py", "<module>", 12}, SiteIndex::none);
  SiteIndex const line = table.site_of({"/home/a/solver.py", "solve", 214}, caller);
  CHECK(table.site_of({"/home/a/solver.py", "solve", 214}, caller) == line);
  CHECK(table.site_of({"/home/a/solver.py", "solve", 214}, SiteIndex::none) != line);
  CHECK(table.site_of({"/home/a/solver.py", "solve", 215}, caller) != line);
  CHECK(table.name_of(table.scope_of(ScopeIndex::main, Sites::address_of(line))) == "solver.py:214 < main.py:12");
  CHECK(table.function(table[line].module) == "solve");
  CHECK(table.path(table[line].module) == "/home/a/solver.py");
  // Two functions, not three.
  CHECK(table.modules() == 2);
  CHECK(table.site_of({"", "solve", 1}, SiteIndex::none) == SiteIndex::none);
}

TEST_CASE("places beyond the greatest number of sites take bounded memory") {
  SitesOfTest table(3);
  char const* const in_libc = static_cast<char const*>(dlsym(RTLD_DEFAULT, "qsort"));
  std::uint64_t const folded_before = folded_sites();
  for (std::size_t i = 0; i < 4; ++i)
    CHECK((table.scope_of(ScopeIndex::main, in_libc + i) == ScopeIndex::main) == (i == 3));
  CHECK(folded_sites() == folded_before + 1);
  std::size_t const before = mapped_bytes();
  ScopeIndex const within = table.scope_of(static_cast<RegionIndex>(7));
  for (std::size_t i = 0; i < 3; ++i) CHECK(table.scope_of(within, in_libc + i) == within);
  for (std::uint32_t i = 0; i < 10'000; ++i)
    CHECK(table.site_of({"<generated>", std::to_string(i), 1}, SiteIndex::none) == SiteIndex::none);
  CHECK(table.modules() == 1);
  // Addresses and lines are kept: 2^18 of them, in a table with room for twice as many, of 16 bytes each, and smaller
  // ones before.
  for (std::size_t i = 0; i < 600'000; ++i) table.scope_of(ScopeIndex::main, in_libc + i);
  CHECK(mapped_bytes() - before <= (std::size_t{1} << 20) * 2 * 16);
  CHECK(table.scope_of(ScopeIndex::main, in_libc) != ScopeIndex::main);
}

TEST_CASE("without memory, and where nobody asked for them, calls count without a site") {
  std::uint64_t const before = folded_sites();
  {
    SitesOfTest none(0);
    CHECK(none.scope_of(ScopeIndex::main, own_return_address()) == ScopeIndex::main);
    CHECK(none.site_of(own_return_address()) == SiteIndex::none);
    CHECK(folded_sites() == before);
  }
  SitesOfTest table(10);
  MemoryShortage const shortage;
  CHECK(table.scope_of(ScopeIndex::main, own_return_address()) == ScopeIndex::main);
}

TEST_CASE("threads that meet the same sites agree on their scopes") {
  SitesOfTest table(10'000);
  char const* const here = static_cast<char const*>(own_return_address());
  constexpr std::size_t count = 2000;
  std::vector<std::vector<ScopeIndex>> found(4, std::vector<ScopeIndex>(count));
  std::vector<std::thread> threads;
  for (auto& own : found)
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < count; ++i) own[i] = table.scope_of(ScopeIndex::main, here + i);
    });
  for (std::thread& thread : threads) thread.join();
  for (auto const& own : found) CHECK(own == found[0]);
  CHECK(table.scopes() == count + 1);
}
