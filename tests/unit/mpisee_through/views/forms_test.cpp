#include "views/forms.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <sstream>
#include <utility>

using namespace mpisee_through;

namespace {

CommunicatorSummary named(std::string const& name) {
  CommunicatorSummary communicator;
  communicator.name = name;
  return communicator;
}

}  // namespace

TEST_CASE("what was left out in words") {
  using LeftOut = Run::LeftOut;
  auto const words = [](std::optional<LeftOut> operations, std::optional<LeftOut> communicators) {
    Run run;
    run.operations_left_out = std::move(operations);
    run.communicators_left_out = std::move(communicators);
    return left_out_of(run);
  };
  CHECK(words({}, {}).empty());
  CHECK(words(LeftOut{{}, {"Iprobe*", "Test"}}, {}) ==
        "operations Iprobe*, Test; their time is not in MPI's (COMMPROF_OPS)");
  CHECK(words({}, LeftOut{{}, {"1"}}) == "communicators of size 1; their time is not in MPI's (COMMPROF_COMMS)");
  CHECK(words(LeftOut{{"*send*", "Recv"}, {"Isend"}}, LeftOut{{"W_s*", "4"}, {}}) ==
        "operations other than *send*, Recv, and Isend; communicators other than W_s*, of size 4; their time is not in "
        "MPI's (COMMPROF_OPS, COMMPROF_COMMS)");
  CHECK(words(LeftOut{{"*"}, {"Test"}}, {}) == "operations Test; their time is not in MPI's (COMMPROF_OPS)");
}

TEST_CASE("the origin of a communicator in words") {
  CHECK(describe_origin(named("W")) == "MPI_COMM_WORLD");
  CHECK(describe_origin(named("SELF")) == "MPI_COMM_SELF");
  CHECK(describe_origin(named("X")).empty());

  CommunicatorSummary communicator = named("W");
  communicator.user_name = "MPI_COMM_WORLD";  // MPI's own name for it says nothing new
  CHECK(describe_origin(communicator) == "MPI_COMM_WORLD");

  communicator = named("W_a1");
  communicator.created_by = "Cart_create";
  communicator.topology = "cart 2x2 periods 10";
  communicator.reorder = "1";
  communicator.user_name = "grid";
  communicator.freed = true;
  CHECK(describe_origin(communicator) == "Cart_create, cart 2x2 periods 10, reorder allowed, \"grid\", freed");

  communicator = named("X");
  communicator.instances = 0;
  CHECK(describe_origin(communicator) == "not in communicators.csv");

  communicator = named("X");
  communicator.user_name = "x";
  CHECK(describe_origin(communicator) == "\"x\"");
}

TEST_CASE("long lists of members keep their first ranges and the last") {
  CHECK(shorten_members("") == "");
  CHECK(shorten_members("0-63,128-191") == "0-63,128-191");
  std::string const of_forty = "0-9,20-29,40-49,60-69,80-89,100-109,120-9";
  REQUIRE(of_forty.size() == 41);
  CHECK(shorten_members(of_forty.substr(0, 40)) == of_forty.substr(0, 40));
  CHECK(shorten_members("0-9,20-29,40-49,60-69,80-89,100-109,120-129,140-149,160-169") ==
        "0-9,20-29,40-49,60-69,80-89,100-109,...,160-169");
  CHECK(shorten_members("1000000-2000000:1000,3000000-4000000:1000,5") == "1000000-2000000:1000,...,5");
  CHECK(shorten_members("1000000-2000000:1000,3000000-4000000:10") == "1000000-2000000:1000,3000000-4000000:10");
}

TEST_CASE("an empty selection is a valid table") {
  Summary summary;
  summary.run.ranks = 1;
  auto const shown = [&](Format format) {
    std::ostringstream out;
    show_operations(out, format, summary, {});
    return out.str();
  };
  CHECK(shown(Format::text).ends_with("\n\nNo calls in this selection.\n"));
  CHECK(shown(Format::csv) ==
        "comm,comm_size,members,created_by,topology,user_name,comm_mpi_share,op,"
        "ranks,calls,bytes_sent,bytes_received,time_s,rank_mean_s,rank_min_s,rank_max_s,time_min_s,time_max_s,"
        "mpi_share,wall_share,time_mean_s,imbalance\n");
  summary.detail = Detail::message_sizes;
  CHECK(shown(Format::csv).find(",op,size_min,size_max,ranks,") != std::string::npos);
}
