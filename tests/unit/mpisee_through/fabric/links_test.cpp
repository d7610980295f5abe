// The built mpisee-through links on a fabric by hand (support/small_fabric.hpp).
//
// n1 sends 200 B to n2 (through leaf1) and 3,000 + 1,000 B to n3 (through leaf1, the spine and leaf2); n3 sends 400 B
// to n1. A link of 4xSDR carries 1e9 B a second, thus 1e10 B in the 10 s of the run.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/run_tool.hpp"
#include "support/small_fabric.hpp"

namespace {

class SmallLinks {
 public:
  SmallLinks() {
    profile.write("ranks.csv", small_ranks);
    fabric.write("cables", small_cables);
    fabric.write("tables", small_tables);
  }

  [[nodiscard]] ToolRun run(std::string const& options) const {
    return run_tool("links " + profile.path().string() + " --fabric " + fabric.path().string() + " " + options);
  }
  [[nodiscard]] std::string answer(std::string const& options) const {
    ToolRun const answered = run(options);
    CHECK(answered.err.empty());
    CHECK(answered.exit_code == 0);
    return answered.out;
  }

  // Where to draw, and what was drawn.
  [[nodiscard]] std::string drawing() const { return fabric.path().string() + "/picture.svg"; }
  [[nodiscard]] std::string drawn() const {
    std::ostringstream text;
    text << std::ifstream(drawing()).rdbuf();
    return text.str();
  }

  TemporaryProfile profile{small_run()};
  TemporaryFabric fabric;
};

}  // namespace

TEST_CASE("links adds up bytes and messages on each link") {
  SmallLinks const small;
  CHECK(small.answer("--csv") ==
        "node,port,peer,peer_port,level,bytes,messages,share,routes\n"
        "n1 HCA-1,1,leaf1,1,host-leaf,4200,6,4.2e-07,2\n"
        "leaf1,3,spine # 1,1,leaf-spine,4000,4,4e-07,1\n"
        "leaf2,1,n3,1,leaf-host,4000,4,4e-07,1\n"
        "spine # 1,2,leaf2,3,spine-leaf,4000,4,4e-07,1\n"
        "leaf1,1,n1 HCA-1,1,leaf-host,400,4,4e-08,1\n"
        "leaf2,3,spine # 1,2,leaf-spine,400,4,4e-08,1\n"
        "spine # 1,1,leaf1,3,spine-leaf,400,4,4e-08,1\n"
        "n3,1,leaf2,1,host-leaf,400,4,4e-08,1\n"
        "leaf1,2,n2 mlx5_0,1,leaf-host,200,2,2e-08,1\n");
  CHECK(small.answer("--csv --top 1 --by messages --class p2p") ==
        "node,port,peer,peer_port,level,bytes,messages,share,routes\n"
        "n1 HCA-1,1,leaf1,1,host-leaf,4200,6,4.2e-07,2\n");
  CHECK(small.answer("--csv --region solve --top 1") ==
        "node,port,peer,peer_port,level,bytes,messages,share,routes\n"
        "leaf1,3,spine # 1,1,leaf-spine,1000,1,1e-07,1\n");
  // topology.conf has no speeds, and no descriptions.
  small.fabric.remove("cables");
  small.fabric.remove("tables");
  small.fabric.write("topology.conf", small_slurm_topology);
  CHECK(small.answer("--csv --top 2") ==
        "node,port,peer,peer_port,level,bytes,messages,share,routes\n"
        "n1,1,leaf1,1,host-leaf,4200,6,,2\n"
        "leaf1,3,spine,1,leaf-spine,4000,4,,1\n");
}

TEST_CASE("links says what fills a link, and how routes meet") {
  SmallLinks const small;
  auto const json = nlohmann::json::parse(small.answer("--json --top 1"));
  CHECK(json["on_links"] == nlohmann::json{{"bytes", 4600}, {"messages", 10}});
  CHECK(json["within_hosts"] == nlohmann::json{{"bytes", 50}, {"messages", 5}});
  CHECK(json["other_worlds"] == nlohmann::json{{"bytes", 7}, {"messages", 1}});
  // From n1 to n2 and n3: both pass the first link, where they are two. From n3 to n1 there is one route everywhere.
  CHECK(json["congestion"]["hist_max_cong"] == nlohmann::json{{"1", 1}, {"2", 2}});
  CHECK(json["congestion"]["sum_max_cong"] == 5);
  CHECK(json["congestion"]["max_cong"] == 2);
  REQUIRE(json["links"].size() == 1);
  auto const& link = json["links"][0];
  CHECK(link["routes"] == 2);
  CHECK(link["communicators"] == nlohmann::json::parse(R"([{"name": "W", "bytes": 3200, "messages": 5},
                                                           {"name": "W_s1.0", "bytes": 1000, "messages": 1}])"));
  CHECK(link["pairs"][0] == nlohmann::json{{"src", 0}, {"dst", 3}, {"bytes", 3000}, {"messages", 3}});
  CHECK(link["regions"][1]["name"] == "solve");
  CHECK(link["operations"] == nlohmann::json::parse(R"([{"name": "p2p", "bytes": 4200, "messages": 6}])"));
  // 4 host-leaf links, of which 2 are used: 4,200 and 400 B.
  CHECK(json["levels"][0] == nlohmann::json::parse(R"({"level": "host-leaf", "links": 4, "used": 2, "bytes": 4600,
      "messages": 10, "most_bytes": 4200, "most_messages": 6, "most_share": 4.2e-07})"));
}

TEST_CASE("links prints the busiest links, and what it cannot know") {
  SmallLinks const small;
  std::string const text = small.answer("--top 1");
  for (std::string const part :
       {"Fabric     4 adapters, 2 leaves, 1 spine, 6 cables\n", "On links   10 messages with 4.492 KiB\n",
        "Not there  5 messages with 50 B within hosts", "Not there  1 message with 7 B from or to other worlds",
        "Not known  adaptive routing", "Routes from tables (dump_fts or ibroute)\n",
        "n1 HCA-1     1  leaf1     1  host-leaf  4.102 KiB         6       <0.1 %       2\n"
        "    on W 76.2 %, W_s1.0 23.8 %; p2p 100.0 %\n"
        "    in main 76.2 %, solve 23.8 %\n"
        "    ranks 0 to 3 71.4 %, 1 to 3 23.8 %, 0 to 2 4.8 %\n",
        "at most 2, 1.67 in the mean, 5 in sum\n"}) {
    INFO(text);
    CHECK(contains(text, part));
  }
  CHECK_FALSE(contains(text, "messages of collectives"));
  CHECK(contains(small.answer("--class rma"), "No messages between hosts in this selection."));
}

TEST_CASE("links takes what the transport was given, if it has all between hosts") {
  TemporaryProfile::Content content = small_run();
  // Nothing for 0 to 1, which are on one host.
  std::vector<std::string> const given{"main,W,network,0,2,64,127,3,260,", "main,W,network,0,3,512,1023,5,3100,",
                                       "main,W,network,1,3,512,1023,2,1040,", "main,W,network,3,1,64,127,4,480,"};
  content.peers->insert(content.peers->end(), given.begin(), given.end());
  content.more_of_run = ", \"options\": {\"COMMPROF_TRANSPORT\": \"1\"}";
  TemporaryProfile const profile(content);
  profile.write("ranks.csv", small_ranks);
  SmallLinks const small;
  auto const answer = [&](std::string const& options) {
    return run_tool("links " + profile.path().string() + " --fabric " + small.fabric.path().string() + " " + options)
        .out;
  };
  std::string const busiest =
      "node,port,peer,peer_port,level,bytes,messages,share,routes\nn1 HCA-1,1,leaf1,1,host-leaf,";
  CHECK(answer("--csv --top 1") == busiest + "4400,10,4.4e-07,2\n");  // 260 + 3,100 + 1,040
  CHECK(answer("--csv --top 1 --class p2p") == busiest + "4200,6,4.2e-07,2\n");
  CHECK(answer("--csv --top 1 --comm W --class p2p") == busiest + "3200,5,3.2e-07,2\n");
  std::string const text = answer("");
  CHECK(contains(text,
                 "Traffic    what the MPI gave to its transport\n"
                 "Transport  was given nothing for 5 of 11 messages of the program, those of 1 pair of ranks\n"
                 "On links   14 messages with 4.766 KiB\n"));  // 3 + 5 + 2 + 4; 4,880 B
  CHECK_FALSE(contains(answer("--class p2p"), "Traffic "));
  auto const drawn = [&](std::string const& options) {
    (void)answer("--svg " + small.drawing() + " " + options);
    return small.drawn();
  };
  std::string const of_transport = ">what the MPI gave to its transport<";
  CHECK(contains(drawn(""), of_transport));
  CHECK_FALSE(contains(drawn("--class p2p"), of_transport));
  // Messages from 1 to 3 are not known.
  profile.replace("peers.csv", "network,1,3,512", "network,1,-1,512");
  CHECK(answer("--csv --top 1") == busiest + "4200,6,4.2e-07,2\n");
}

TEST_CASE("links draws the fabric, with each direction of a cable in its colour") {
  SmallLinks const small;
  (void)small.answer("--svg " + small.drawing());
  std::string const text = small.drawn();
  CHECK(contains(text,
                 "<title>n1 HCA-1 port 1 to leaf1 port 1: 4.102 KiB\nleaf1 port 1 to n1 HCA-1 port 1: 400 B</title>"));
  CHECK(contains(text, "stroke=\"#081d58\" stroke-width=\"6.0\""));  // the busiest
  std::size_t cables = 0;
  for (std::size_t at = 0; (at = text.find(" port ", at + 1)) != std::string::npos;) ++cables;
  CHECK(cables == 6 * 4);  // two ends a direction
  std::string const ranks = small.profile.file("ranks.csv");
  check_refused(small.run("--svg " + ranks), 1, "mpisee-through: " + ranks + ": this file is part of the profile");
}

TEST_CASE("links refuses a fabric of other hosts") {
  SmallLinks const small;
  small.profile.replace("ranks.csv", "n3", "m3");
  check_refused(small.run(""), 1,
                "mpisee-through: " + small.fabric.path().string() +
                    "/cables: 1 host has no port here: m3; --fabric-hosts FILE can name them");
  small.fabric.write("names", "m3 n3\n");
  CHECK(contains(small.answer("--csv --fabric-hosts " + small.fabric.path().string() + "/names"), "leaf2,1,n3,1,"));
}
