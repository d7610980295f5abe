#include "message_waits/own_message_waits.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "ops.hpp"

using namespace commprof;

TEST_CASE("the row of a call site has its whole name, as the rows of sites do") {
  Sites sites;
  REQUIRE(sites.start());
  for (char const letter : {'c', 'b', 'a'}) REQUIRE(sites.restore_module("/lib/" + std::string(140, letter), "", ""));
  SiteIndex caller = SiteIndex::none;
  for (std::uint32_t module = 0; module < 3; ++module) {
    auto const site = static_cast<SiteIndex>(sites.size());
    REQUIRE(sites.restore(Sites::Site{module, caller, 0x10}));
    caller = site;
  }
  REQUIRE(sites.restore(Sites::Scope{RegionIndex::main, caller}, 1));
  auto const scope = static_cast<ScopeIndex>(sites.scopes() - 1);

  static MessageWaits waits;
  waits.begin({});
  Awaited const nobody_knows{.comm = CommIndex::world, .number = 0};
  waits.span({.entry = {}, .exit = {std::uint64_t{4} << instants::cell_bits}, .op = Op::Recv, .scope = scope},
             &nobody_knows, 1);
  waits.order();
  OwnMessageWaits own;
  own.begin(waits, 0, {});
  PageVector<OwnMessageWaits::Comm> comms;
  REQUIRE(comms.push_back(
      {.name = MessageComm::of("W"), .own_rank = 0, .members = 2, .is_known_alike = true, .writes_rows = true}));
  own.take(comms);
  own.ask();
  std::array<Record, 1> records{};
  records[0].key = RecordKey::of(CommIndex::world, scope, Op::Recv, size_bin(4));
  records[0].calls = 1;
  own.count(records, sites);
  own.finish();
  REQUIRE(own.rows().rows.size() == 1);
  std::string const name(140, 'a'),
      behind = " < " + std::string(140, 'b') + "+0x10 < " + std::string(140, 'c') + "+0x10";
  CHECK(own.rows().rows.begin()->site == name + "+0x10" + behind);
  sites.release();
}
