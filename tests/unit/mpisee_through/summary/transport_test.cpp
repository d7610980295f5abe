#include "summary/transport.hpp"

#include <catch2/catch.hpp>

#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

constexpr char const* observed = ", \"options\": {\"COMMPROF_TRANSPORT\": \"1\"}";

// The transport was given nothing of the 10 messages from 0 to 1, which are on one host. Messages of a rank to itself,
// and to another world, are between no ranks of this one.
std::vector<std::string> const within_host{"main,W,p2p,0,1,8,15,10,100,", "main,W,p2p,1,0,8,15,2,20,",
                                           "main,W,network,1,0,8,15,2,20,", "main,W,p2p,3,3,8,15,7,70,",
                                           "main,W,p2p,2,-1,8,15,1,10,"};
// From 0 to 2, on another host, there are more of its messages than of the program's.
std::vector<std::string> const between_hosts{"main,W,p2p,0,2,512,1023,5,5000,", "main,W,network,0,2,512,1023,6,5600,"};

std::optional<SeenByTransport> seen(std::vector<std::string> const& more, char const* run = observed) {
  std::vector<std::string> peers = within_host;
  peers.insert(peers.end(), more.begin(), more.end());
  TemporaryProfile const files({.ranks = 4, .peers = peers, .more_of_run = run});
  files.replace("ranks.csv", "2,host,", "2,other,");
  files.replace("ranks.csv", "3,host,", "3,other,");
  return read_seen_by_transport(Profile(files.path()));
}

std::vector<std::string> with(std::string const& row) {
  std::vector<std::string> rows = between_hosts;
  rows.push_back(row);
  return rows;
}

}  // namespace

TEST_CASE("what the transport was given is the load, if nothing is missing") {
  CHECK_FALSE(seen(between_hosts)->has_all);
  CHECK(seen(between_hosts)->has_all_between_hosts);
  CHECK(seen(with("main,W,network,0,1,8,15,10,100,"))->has_all);
  CHECK_FALSE(seen(with("main,W,network,0,1,8,15,9,100,"))->has_all);  // some went another way
  // It is not known to whom, or it lacks one-sided data or the messages of a collective.
  for (char const* const row :
       {"main,W,network,0,-1,8,15,1,100,", "main,W,rma,1,2,8,15,1,10,", "main,W,internal,3,1,8,15,1,10,Bcast"}) {
    INFO(row);
    CHECK_FALSE(seen(with(row))->has_all_between_hosts);
  }
  CHECK_FALSE(seen({})->has_all_between_hosts);  // nothing is between hosts
}

TEST_CASE("a selection takes what the transport was given, unless it asks for something else") {
  SeenByTransport const all{.has_all = true, .has_all_between_hosts = true},
      those_between_hosts{.has_all_between_hosts = true};
  auto const classes = [](Selection selection, std::optional<SeenByTransport> const& has, Load load) {
    prefer_transport(selection, has, load);
    return is_of_transport(selection);
  };
  CHECK(classes({}, all, Load::of_machine));
  CHECK(classes({.regions = {"solve"}, .from = RankSet::parse("0")}, all, Load::between_hosts));
  CHECK(classes({}, those_between_hosts, Load::between_hosts));
  CHECK_FALSE(classes({}, those_between_hosts, Load::of_machine));
  CHECK_FALSE(classes({}, std::nullopt, Load::between_hosts));
  CHECK_FALSE(classes({.classes = {TrafficClass::p2p}}, all, Load::between_hosts));
  CHECK_FALSE(classes({.communicators = {"W"}}, all, Load::between_hosts));
  CHECK_FALSE(classes({.operations = {"*"}}, all, Load::between_hosts));
  CHECK_FALSE(classes({.sizes = SizeRange::parse("8")}, all, Load::between_hosts));
}
