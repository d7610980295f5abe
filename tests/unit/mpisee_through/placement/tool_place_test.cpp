// Runs the command `place`.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

namespace {

// Four ranks on two hosts; each exchanges with a rank of the other host: 0 with 2, 1 with 3.
constexpr char const* crossing_ranks =
    "rank,host,pid,cpus,threads,wall_s,mpi_s\n0,a,1,0,1,10,2\n1,a,1,1,1,10,2\n2,b,1,0,1,10,2\n3,b,1,1,1,10,2\n";
std::vector<std::string> const crossing_peers{"main,W,p2p,0,2,64,127,3,300,", "main,W,p2p,3,1,64,127,2,200,",
                                              "main,W,internal,0,1,8,15,50,600,Allreduce"};

class Crossing {
 public:
  explicit Crossing(char const* ranks = crossing_ranks) : profile_({.ranks = 4, .peers = crossing_peers}) {
    profile_.write("ranks.csv", ranks);
  }
  [[nodiscard]] ToolRun place(std::string const& arguments) const {
    return run_tool("place " + arguments + " " + profile_.path().string(), files_.path());
  }
  void write(std::string_view name, std::string_view text) const { files_.write(name, text); }
  [[nodiscard]] std::string read(std::string const& name) const { return files_.read(name); }
  [[nodiscard]] nlohmann::json json(std::string const& arguments) const {
    ToolRun const run = place("--json " + arguments);
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    return nlohmann::json::parse(run.out);
  }
  void refused(std::string const& arguments, std::string const& message) const {
    INFO(arguments);
    check_refused(place(arguments), 1, "mpisee-through: " + message);
  }

 private:
  TemporaryProfile profile_, files_;
};

std::vector<std::string> hosts_in(nlohmann::json const& answer) {
  std::vector<std::string> hosts;
  for (auto const& rank : answer["mapping"]) hosts.push_back(rank["host"]);
  return hosts;
}

}  // namespace

TEST_CASE("place brings pairs of ranks together, and says what that saves") {
  Crossing const crossing;
  auto const answer = crossing.json("--class p2p");
  CHECK(answer["today"]["between_hosts"]["bytes"] == 500);
  CHECK(answer["today"]["between_hosts"]["messages"] == 5);
  CHECK(answer["today"]["most_bytes_leaving_host"] == 300);
  CHECK(answer["today"]["cost"] == 500 * 20);
  CHECK(answer["proposed"]["between_hosts"]["bytes"] == 0);
  CHECK(answer["proposed"]["within"]["host"]["bytes"] == 500);
  CHECK(answer["proposed"]["cost"] == 500 * 4);
  CHECK(answer["gain"] == Approx(0.8));
  CHECK(answer["moved_ranks"] == 2);
  auto const hosts = hosts_in(answer);
  CHECK(hosts[0] == hosts[2]);
  CHECK(hosts[1] == hosts[3]);
  CHECK(answer["communicators"][0]["between_hosts_today"]["bytes"] == 500);
  CHECK(answer["communicators"][0]["between_hosts_proposed"]["bytes"] == 0);
  std::string const text = crossing.place("--class p2p").out;
  CHECK(contains(text, "The proposal costs 80.0 % less than today's placement; 2 ranks of 4 would move."));
}

// 600 bytes between 0 and 1 keep them together: of both, the pairs 0-1 and 2-3 are the best halves.
TEST_CASE("messages inside collectives count, unless they are left out") {
  Crossing const crossing;
  CHECK(crossing.json("")["proposed"]["between_hosts"]["bytes"] == 500);
  CHECK(contains(crossing.place("").out, "Nothing to gain: no placement found costs less than today's."));
}

TEST_CASE("place takes what the transport was given, if it has all") {
  std::vector<std::string> peers = crossing_peers;
  peers.insert(peers.end(), {"main,W,network,0,2,64,127,4,330,", "main,W,network,3,1,64,127,2,220,",
                             "main,W,network,0,1,8,15,50,700,"});
  auto const placed = [&](std::string const& arguments) {
    TemporaryProfile const profile(
        {.ranks = 4, .peers = peers, .more_of_run = ", \"options\": {\"COMMPROF_TRANSPORT\": \"1\"}"}),
        files;
    profile.write("ranks.csv", crossing_ranks);
    return run_tool("place " + arguments + " " + profile.path().string(), files.path()).out;
  };
  auto const bytes = [&](std::string const& arguments) {
    auto const answer = nlohmann::json::parse(placed("--json " + arguments));
    return std::pair(answer["today"]["between_hosts"]["bytes"].get<int>(), answer["of_transport"].get<bool>());
  };
  CHECK(bytes("") == std::pair(550, true));
  CHECK(bytes("--class p2p") == std::pair(500, false));
  CHECK(contains(placed(""), "\nTraffic    what the MPI gave to its transport\nWeight     bytes\n"));
  peers.pop_back();  // collectives went some other way
  CHECK(bytes("") == std::pair(500, false));
  peers[2] = "main,W,p2p,1,0,8,15,5,50,";
  CHECK(contains(placed(""),
                 "\nTransport  was given nothing for 5 of 10 messages of the program, those of 1 pair of "
                 "ranks\n"));
}

TEST_CASE("place writes files for launchers") {
  Crossing const crossing;
  ToolRun const run = crossing.place("--class p2p --keep 0,1 -o out");
  REQUIRE(run.exit_code == 0);
  CHECK(crossing.read("out/rankfile.openmpi4") ==
        "rank 0=a slot=0\nrank 1=a slot=1\nrank 2=b slot=0\nrank 3=b slot=1\n");
  CHECK(contains(run.out,
                 "mpirun -np 4 --host a:2,b:2 --mca rmaps_rank_file_physical 1 -rf out/rankfile.openmpi4 PROGRAM"));
  CHECK(contains(run.out, "mpirun -np 4 --host a:2,b:2 --map-by rankfile:FILE=out/rankfile.prrte PROGRAM"));
  REQUIRE(crossing.place("--class p2p --keep 0,3 -o out").exit_code == 0);
  CHECK(crossing.read("out/rankfile.openmpi4") ==
        "rank 0=a slot=0\nrank 1=b slot=0\nrank 2=a slot=1\nrank 3=b slot=1\n");
  CHECK(crossing.read("out/rankfile.prrte") == crossing.read("out/rankfile.openmpi4"));
  CHECK(crossing.read("out/hosts.hydra") == "a:1\nb:1\na:1\nb:1\n");
  CHECK(crossing.read("out/hosts.slurm") == "a\nb\na\nb\n");
  CHECK(crossing.read("out/MPICH_RANK_ORDER") == "0,2,1,3\n");
  CHECK(nlohmann::json::parse(crossing.read("out/placement.json")) == crossing.json("--class p2p --keep 0,3"));
}

TEST_CASE("names of hosts are words of a shell in commands") {
  Crossing const crossing(
      "rank,host,pid,cpus,threads,wall_s,mpi_s\n0,a;b,1,0,1,10,2\n1,a;b,2,1,1,10,2\n2,c,1,0,1,10,2\n3,c,2,1,1,10,2\n");
  ToolRun const run = crossing.place("--class p2p -o out");
  REQUIRE(run.exit_code == 0);
  CHECK(contains(run.out, "mpirun -np 4 --host 'a;b:2,c:2' "));
  CHECK_FALSE(contains(run.out, "--host a;b"));
}

TEST_CASE("place says how much more other hosts cost, and how few of the bytes are in messages") {
  TemporaryProfile::Content content{
      .ranks = 4,
      .operations = {"main,W,4,0,Send,64,127,3,300,0,1,1,1", "main,W,4,0,Alltoall,1024,2047,1,29700,29700,1,1,1"},
      .peers = {{"main,W,p2p,0,2,64,127,3,300,"}}};
  TemporaryProfile const profile(content), hosts;
  profile.write(
      "ranks.csv",
      "rank,host,pid,cpus,threads,wall_s,mpi_s\n0,a,1,0,1,10,2\n1,a,2,1,1,10,2\n2,a,3,2,1,10,2\n3,a,4,3,1,10,2\n");
  hosts.write("hosts", "n[1-4] slots=1\n");
  std::string const text = run_tool("place --hosts hosts " + profile.path().string(), hosts.path()).out;
  CHECK(contains(text, "These hosts cost 5.0 times as much as today's, at best.\n"));  // 20 a byte and 4
  CHECK(contains(text, "\nThese messages are 1.0 % of the 29.30 KiB that calls send: "));
  CHECK(
      contains(run_tool("place " + profile.path().string(), hosts.path()).out,
               "Nothing to gain for these messages: no placement found costs less than today's.\nThese messages are "));
}

// PRRTE starts no ranks if it must bind two to one processor.
TEST_CASE("ranks that shared processors are not bound") {
  Crossing const crossing(
      "rank,host,pid,cpus,threads,wall_s,mpi_s\n0,a,1,0-1,1,10,2\n1,a,2,0-1,1,10,2\n2,b,1,0-1,1,10,2\n3,b,2,0-1,1,10,"
      "2\n");
  ToolRun const run = crossing.place("--class p2p -o out");
  REQUIRE(run.exit_code == 0);
  CHECK(contains(run.out, "--map-by rankfile:FILE=out/rankfile.prrte --bind-to none PROGRAM"));
}

// Each rank may run on 2^30 processors, which are not listed one by one.
TEST_CASE("damaged processors cost no memory") {
  Crossing const crossing(
      "rank,host,pid,cpus,threads,wall_s,mpi_s\n0,a,1,0-2147483646:2,1,10,2\n1,a,2,0-2147483646:2,1,10,2\n"
      "2,b,1,1-2147483647:3,1,10,2\n3,b,2,2-2147483647:3,1,10,2\n");
  ToolRun const run = crossing.place("--class p2p -o out");
  REQUIRE(run.exit_code == 0);
  CHECK(contains(run.out, "--map-by rankfile:FILE=out/rankfile.prrte --bind-to none PROGRAM"));
  CHECK(contains(crossing.read("out/rankfile.prrte"), "slot=0-2147483646:2\n"));
}

TEST_CASE("a path that PRRTE would misread is not given to it") {
  Crossing const crossing;
  for (char const* const directory : {"an-out", "Open"}) {
    ToolRun const run = crossing.place(std::string("--class p2p -o ") + directory);
    REQUIRE(run.exit_code == 0);
    CHECK(
        contains(run.out, std::string("cp ") + directory +
                              "/rankfile.prrte . && mpirun -np 4 --host a:2,b:2 --map-by rankfile:FILE=rankfile.prrte "
                              "PROGRAM"));
  }
}

TEST_CASE("place puts ranks on other hosts") {
  Crossing const crossing;
  crossing.write("hosts", "# two of them\nn[1-2] slots=3 packages=1 cores=3\n");
  auto const answer = crossing.json("--class p2p --hosts hosts");
  auto const hosts = hosts_in(answer);
  CHECK(hosts[0] == hosts[2]);
  CHECK(hosts[1] == hosts[3]);
  CHECK(answer["proposed"]["between_hosts"]["bytes"] == 0);
  crossing.write("hosts", "a:2\nb slots=1\n");
  crossing.refused("--hosts hosts", "hosts: 3 slots for 4 ranks");
  crossing.write("hosts", "a:2\nb slots=zwei\n");
  crossing.refused("--hosts hosts", "hosts:2: \"slots=zwei\" has no number from 1 on");
  crossing.write("hosts", "a:2\n\nb[1- slots=2\n");
  crossing.refused("--hosts hosts", "hosts:3: \"b[1-\" is no name of a host, and no list like node[01-16]");
  crossing.write("hosts", "a:4\nc:1\n");
  crossing.refused("--hosts hosts --keep 2", "--keep: hosts has no slot on b for rank 2");
  crossing.refused("--hosts missing", "missing: No such file or directory");
}

// Hosts a and c are below one switch: ranks 0 and 2, 1 and 3 cannot be on one host, but below one switch.
TEST_CASE("place takes switches into account") {
  Crossing const crossing(
      "rank,host,pid,cpus,threads,wall_s,mpi_s\n0,a,1,0,1,10,2\n1,b.cluster,1,1,1,10,2\n2,c,1,0,1,10,2\n3,d,1,1,1,10,"
      "2\n");
  crossing.write("topology.conf", "# Slurm\nSwitchName=s1 Nodes=a,b\nswitchname=s2 nodes=[c-d] LinkSpeed=9\n");
  crossing.refused("--topology topology.conf", "topology.conf:3: \"[c-d]\" is no list of names like node[01-16]");
  crossing.write("topology.conf", "SwitchName=s1 Nodes=a,b\nswitchname=s2 nodes=c,d\nSwitchName=top Switches=s[1-2]\n");
  auto const answer = crossing.json("--class p2p --topology topology.conf");
  CHECK(answer["today"]["within"]["switch2"]["bytes"] == 500);
  CHECK(answer["proposed"]["within"]["switch1"]["bytes"] == 500);
  CHECK(answer["today"]["cost"] == 500 * 40);
  CHECK(answer["proposed"]["cost"] == 500 * 20);
  crossing.write("topology.conf", "tleaf 2 2 70 2 5\n");
  auto const tree = crossing.json("--class p2p --topology topology.conf");
  CHECK(tree["today"]["cost"] == 500 * 70);
  CHECK(tree["proposed"]["cost"] == 500 * 5);
  crossing.write("topology.conf", "tleaf 2 2 70 2\n");
  crossing.refused("--topology topology.conf",
                   "topology.conf:1: tleaf needs a number of levels, and for each its children and a cost");
  crossing.write("topology.conf", "SwitchName=s1 Nodes=a,b\n");
  crossing.refused("--topology topology.conf", "topology.conf: has no host c");
  crossing.write("topology.conf", "SwitchName=s1 Nodes=a,b,c,d Switches=s1\n");
  crossing.refused("--topology topology.conf", "topology.conf:1: switch s1 is below itself, or more than 16 others");
  crossing.write("topology.conf", "<topology>\n");
  crossing.refused("--topology topology.conf", "topology.conf:1: describes one host: give it with --node");
}

TEST_CASE("place knows the inside of hosts from the profile") {
  Crossing const crossing(
      "rank,host,pid,cpus,threads,wall_s,mpi_s,package,numa,core\n0,a,1,0,1,10,2,0,0,0\n1,a,1,1,1,10,2,0,0,1\n"
      "2,a,1,2,1,10,2,1,1,2\n3,a,1,3,1,10,2,1,1,3\n");
  auto const answer = crossing.json("--class p2p");
  CHECK(answer["today"]["within"]["host"]["bytes"] == 500);
  CHECK(answer["proposed"]["within"]["numa"]["bytes"] == 500);
  CHECK(answer["mapping"][2]["package"] == answer["mapping"][0]["package"]);
  CHECK(contains(crossing.place("--class p2p").out, "Within hosts, between packages"));
}

// Two packages of one core with two processors each: 0 and 2 on the first, 1 and 3 on the second.
TEST_CASE("place knows the inside of hosts from hwloc") {
  Crossing const crossing(
      "rank,host,pid,cpus,threads,wall_s,mpi_s\n0,a,1,0,1,10,2\n1,a,1,2,1,10,2\n2,a,1,1,1,10,2\n3,a,1,3,1,10,2\n");
  TemporaryProfile const node;
  REQUIRE(run_shell("lstopo-no-graphics --input 'package:2 core:1 pu:2(indexes=0,2,1,3)' node.xml", node.path())
              .exit_code == 0);
  auto const answer = crossing.json("--class p2p --node " + node.file("node.xml"));
  CHECK(answer["today"]["within"]["host"]["bytes"] == 500);
  CHECK(answer["proposed"]["within"]["core"]["bytes"] == 500);
  crossing.write("node.xml", "<topology><object");
  crossing.refused("--node node.xml", "node.xml: hwloc cannot read it: no output of lstopo FILE.xml");
}

TEST_CASE("place says what it cannot do") {
  TemporaryProfile const silent;
  check_refused(run_tool("place " + silent.path().string()), 1,
                "mpisee-through: " + silent.file("peers.csv") + ": this profile was written without who talks to whom");
  Crossing const crossing;
  crossing.refused("--keep 4", "--keep: no rank 4 in a run of 4");
  crossing.refused(
      "--costs switch1=3",
      "--costs switch1: needs a level of core, numa, package, host, network, and one number with --weight bytes");
  TemporaryProfile const partial({.ranks = 2,
                                  .peers = std::vector<std::string>{"main,W,p2p,0,1,8,15,2,16,"},
                                  .more_of_run = ", \"detail\": \"summary\", \"detailed_ranks\": [0]"});
  CHECK(contains(run_tool("place " + partial.path().string()).out,
                 "only ranks 0 have rows of their messages: the others count for nothing"));
}
