#include "views/placement_files.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

Traffic four_ranks() {
  TemporaryProfile const files(
      {.ranks = 4,
       .peers = {{"main,W,p2p,0,1,8,15,2,16,", "main,W,p2p,1,0,8,15,1,8,", "main,W,p2p,2,0,64,127,1,100,",
                  "main,W,p2p,1,1,1,1,7,7,", "main,W,p2p,1,-1,64,127,1,90,", "main,W,p2p,1,2,0,0,5,0,"}}});
  return add_up_traffic(Profile(files.path()), {}, Detail::operations);
}

using Write = void(std::ostream&, Traffic const&, Measure);

std::string written(Write* write, Traffic const& traffic, Measure measure) {
  std::ostringstream out;
  write(out, traffic, measure);
  return out.str();
}

// Runs a program of another project on a file; returns its output and how it ended. ./test installs these programs.
std::string judgement(std::string const& program, std::string const& name, std::string const& content,
                      std::string const& arguments) {
  TemporaryProfile const directory;
  directory.write(name, content);
  ToolRun const run = run_shell(program + " " + name + " " + arguments, directory.path());
  return run.out + run.err + "exit " + std::to_string(run.exit_code);
}

// All ranks exchange with all others, with so many bytes that their sum takes 40 bits.
Traffic much() {
  Traffic traffic;
  traffic.run.ranks = 32;
  for (std::uint32_t from = 0; from < 32; ++from) {
    for (std::uint32_t to = 0; to < 32; ++to) {
      if (from != to)
        traffic.pairs.push_back({WorldRank{from}, WorldRank{to}, {1, from == 0 ? 1 : std::uint64_t{1} << 30U}});
    }
  }
  return traffic;
}

}  // namespace

// 0 and 1 have 16 + 8 bytes in 2 + 1 messages, 0 and 2 have 100 in 1, 1 and 2 have 0 in 5; rank 3 is alone.
TEST_CASE("TreeMatch gets a line of numbers for each rank, both directions together") {
  CHECK(written(write_treematch, four_ranks(), Measure::bytes) == "0 24 100 0\n24 0 0 0\n100 0 0 0\n0 0 0 0\n");
  CHECK(written(write_treematch, four_ranks(), Measure::messages) == "0 3 1 0\n3 0 5 0\n1 5 0 0\n0 0 0 0\n");
}

TEST_CASE("Scotch gets a graph with weights of edges, vertices from 0") {
  CHECK(written(write_scotch, four_ranks(), Measure::bytes) == "0\n4 4\n0 010\n2 24 1 100 2\n1 24 0\n1 100 0\n0\n");
  CHECK(written(write_scotch, four_ranks(), Measure::messages) ==
        "0\n4 6\n0 010\n2 3 1 1 2\n2 3 0 5 2\n2 1 0 5 1\n0\n");
}

TEST_CASE("METIS gets a graph with weights of edges, vertices from 1") {
  CHECK(written(write_metis, four_ranks(), Measure::bytes) == "4 2 001\n2 24 3 100\n1 24\n1 100\n\n");
  CHECK(written(write_metis, four_ranks(), Measure::messages) == "4 3 001\n2 3 3 1\n1 3 3 5\n1 1 2 5\n\n");
}

TEST_CASE("weights add up to no more than 32 bits hold, and none is 0") {
  std::istringstream graph(written(write_metis, much(), Measure::bytes));
  std::string line;
  std::getline(graph, line);
  CHECK(line == "32 496 001");  // 32 * 31 / 2
  double sum = 0;
  for (int rank = 0; rank < 32; ++rank) {
    std::getline(graph, line);
    std::istringstream fields(line);
    std::uint64_t neighbour = 0;
    for (std::uint64_t weight = 0; fields >> neighbour >> weight; sum += static_cast<double>(weight)) {
      CHECK(weight > 0);
      // Pairs with rank 0 have 2^30 + 1 bytes, the others twice 2^30; 992 weights of about 2^31 take 41 bits, ten too
      // many.
      CHECK(weight == (rank == 0 || neighbour == 1 ? 1U << 20U : 1U << 21U));
    }
  }
  CHECK(sum == 2 * (31 * 1048576.0 + 465 * 2097152.0));
  CHECK(sum < 2147483647.0);
}

TEST_CASE("Scotch and METIS take the files") {
  for (Traffic const& traffic : {four_ranks(), much()}) {
    std::string const scotch = judgement("gtst", "a.grf", written(write_scotch, traffic, Measure::bytes), "");
    std::string const metis = judgement("gpmetis", "a.graph", written(write_metis, traffic, Measure::bytes), "2");
    std::string const vertices = std::to_string(traffic.run.ranks);
    INFO(scotch << metis);
    CHECK(scotch.find("Vertex\tnbr=" + vertices) != scotch.npos);
    CHECK(scotch.ends_with("exit 0"));
    CHECK(metis.find("#Vertices: " + vertices) != metis.npos);
    CHECK(metis.ends_with("exit 0"));
  }
}
