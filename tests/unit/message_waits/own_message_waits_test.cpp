#include "message_waits/own_message_waits.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "ops.hpp"

using namespace commprof;
using Link = OwnMessageWaits::Link;

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
  waits.begin({}, [](CommIndex) { return 0; });
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

TEST_CASE("a chain ends at a process that waits for nobody, or where it is not known who is waited for") {
  Link link{.cell = 1, .ahead = {.to = 5, .level = 2, .asked_level = 1}};
  OwnMessageWaits::follow(link, {.to = 7, .level = 1, .asked_level = 3});
  CHECK(link.ahead.to == 7);
  CHECK_FALSE(link.is_at_end);
  // An instant of level 2 is one of level 1, too; each process that was asked too much has chosen its own.
  CHECK(link.ahead.weight() == 64);
  Link unknown = link, left_out = link;
  OwnMessageWaits::follow(link, {});
  CHECK(link.ahead.to == 7);
  CHECK(link.is_at_end);
  OwnMessageWaits::follow(unknown, {.to = OwnMessageWaits::for_somebody});
  CHECK(unknown.ahead.to == OwnMessageWaits::for_somebody);
  CHECK(unknown.is_at_end);
  OwnMessageWaits::follow(left_out, {.to = OwnMessageWaits::not_looked_at, .level = 9});
  CHECK(left_out.ahead.to == OwnMessageWaits::not_looked_at);
  CHECK(left_out.is_at_end);
}
