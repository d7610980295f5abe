#include "waiting/situation.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "findings/situation_words.hpp"
#include "ops.hpp"
#include "views/situation_view.hpp"
#include "waiting/operation_needs.hpp"
#include "waiting/situation_json.hpp"

using namespace mpisee_through;
using commprof::Op;

namespace {

constexpr CommId world{0}, half{1};

GivenRank given(int rank) { return static_cast<GivenRank>(rank); }

PendingOperation receive_of(int source) {
  return {.op = Op::Irecv, .comm = world, .source = given(source), .is_receive = true};
}

ThreadState outside(std::uint64_t stamp) {
  ThreadState state;
  state.stamp = stamp;
  state.seconds = 1;
  return state;
}

// Running ranks, outside MPI for a second; communicators W of all, and W_s1.0 of the even ranks.
class JobByHand {
 public:
  explicit JobByHand(int ranks) {
    job.ranks = ranks;
    job.communicators = {{"W", ranks, true, {}, {}}, {"W_s1.0", (ranks + 1) / 2, true, {}, {}}};
    for (int rank = 0; rank < ranks; ++rank) {
      job.communicators[0].members.push_back(rank);
      if (rank % 2 == 0) job.communicators[1].members.push_back(rank);
      ProcessState process;
      process.rank = rank;
      process.life = Life::running;
      process.threads.push_back(outside(1));
      job.processes.push_back(process);
    }
    for (JobCommunicator& one : job.communicators) one.world_rank = one.members;
  }

  ProcessState& process(int rank) { return job.processes[static_cast<std::size_t>(rank)]; }
  ThreadState& in(int rank, Op op, CommId comm, double seconds = 1) {
    ThreadState& state = process(rank).threads[0];
    state.op = op;
    state.comm = comm;
    state.has_comm = true;
    state.seconds = seconds;
    return state;
  }
  void receive(int rank, int source, CommId comm = world) { in(rank, Op::Recv, comm).source = given(source); }
  void send(int rank, int dest, CommId comm = world) { in(rank, Op::Send, comm).dest = given(dest); }
  void begun(int rank, std::uint64_t count, CommId comm = world) { process(rank).collectives[comm] = count; }

  [[nodiscard]] Situation situation() const { return understand(job, &job); }

  Job job;
};

RankGroup const& group_of(Situation const& situation, int rank) {
  for (RankGroup const& group : situation.groups)
    for (int const one : group.ranks)
      if (one == rank) return group;
  FAIL("no group of rank " << rank);
  return situation.groups.front();
}

std::vector<int> waits_for(Situation const& situation, int rank) { return group_of(situation, rank).waits_for; }

std::vector<int> ranks_of(StuckRanks const& stuck) {
  std::vector<int> ranks;
  for (StuckRanks::Step const& step : stuck.steps) ranks.push_back(step.rank);
  return ranks;
}

using Ranks = std::vector<int>;

}  // namespace

TEST_CASE("ranks in one call are a group, the longest first") {
  JobByHand by_hand(6);
  for (int const rank : {0, 2, 4}) by_hand.in(rank, Op::Allreduce, half, 10 + rank);
  Situation const situation = by_hand.situation();
  REQUIRE(situation.groups.size() == 2);
  CHECK(situation.groups[0].ranks == Ranks{0, 2, 4});
  CHECK(situation.groups[0].operation == "Allreduce");
  CHECK(situation.groups[0].communicator == "W_s1.0");
  CHECK(situation.groups[0].longest_s == 14);
  CHECK(situation.groups[0].shortest_s == 10);
  CHECK(situation.groups[1].state == RankGroup::State::outside);
  CHECK(situation.running == 6);
  CHECK(situation.without_file.empty());
  CHECK(waits_for(situation, 0).empty());
}

TEST_CASE("a collective waits for those who have begun fewer of them") {
  JobByHand by_hand(4);
  for (int rank = 0; rank < 4; ++rank) by_hand.begun(rank, 5);
  by_hand.in(0, Op::Allreduce, world);
  by_hand.in(1, Op::Allreduce, world);
  by_hand.begun(3, 6);  // it has gone through the call
  Situation const situation = by_hand.situation();
  CHECK(waits_for(situation, 0) == Ranks{2});
  CHECK(group_of(situation, 0).is_certain);
  CHECK(situation.stuck_ranks == 0);
  REQUIRE(group_of(situation, 0).chain.size() == 1);
  CHECK(group_of(situation, 0).chain[0].ranks == Ranks{2});
}

TEST_CASE("collective calls of one number that do not match are told, and no circle of their ranks") {
  JobByHand by_hand(4);
  for (int const rank : {0, 2}) by_hand.in(rank, Op::Allreduce, world, 3);
  by_hand.in(1, Op::Barrier, world, 2);
  Situation situation = by_hand.situation();
  CHECK(waits_for(situation, 0) == Ranks{1, 3});
  REQUIRE(situation.mismatches.size() == 1);
  Mismatch const& one = situation.mismatches[0];
  CHECK(one.communicator == "W");
  CHECK(one.seconds == 2);
  REQUIRE(one.sides.size() == 2);
  CHECK(one.sides[0].ranks == Ranks{0, 2});
  CHECK(one.sides[1].ranks == Ranks{1});
  CHECK(SituationWords(situation, CodeLines()).obstacles().at(0).verdict ==
        "stuck for 2.000 s in Allreduce on W, while rank 1 is in Barrier on the same communicator");
  by_hand.in(3, Op::Allreduce, world);
  situation = by_hand.situation();
  CHECK(situation.stuck.empty());
  CHECK(situation.stuck_ranks == 4);
  auto const again = situation_of(to_json(situation));
  REQUIRE(again);
  CHECK(to_json(*again) == to_json(situation));

  by_hand.begun(1, 1);  // it is in its next call
  CHECK(by_hand.situation().mismatches.empty());
  by_hand.begun(1, 0);
  CHECK(understand(by_hand.job, nullptr).mismatches.empty());  // its count may be older than its call
  for (ProcessState& process : by_hand.job.processes) process.life = Life::ended;
  CHECK(understand(by_hand.job, nullptr).mismatches.size() == 1);
}

TEST_CASE("calls with different roots do not match") {
  JobByHand by_hand(3);
  for (int const rank : {0, 1}) by_hand.in(rank, Op::Bcast, world).root = given(2);
  by_hand.in(2, Op::Bcast, world).root = given(0);
  Situation const situation = by_hand.situation();
  REQUIRE(situation.mismatches.size() == 1);
  CHECK(situation.mismatches[0].sides[0].peer == "with root 2");
  CHECK(situation.mismatches[0].sides[1].peer == "with root 0");
  by_hand.in(2, Op::Bcast, world).root = given(2);
  CHECK(by_hand.situation().mismatches.empty());
}

TEST_CASE("a broadcast waits for its root, a reduction at its root for all") {
  JobByHand by_hand(4);
  for (int const rank : {1, 2}) by_hand.in(rank, Op::Bcast, world).root = given(0);
  CHECK(waits_for(by_hand.situation(), 1) == Ranks{0});
  for (int const rank : {1, 2}) by_hand.in(rank, Op::Reduce, world).root = given(1);
  Situation const situation = by_hand.situation();
  CHECK(waits_for(situation, 1) == Ranks{0, 3});
  CHECK_FALSE(group_of(situation, 1).is_certain);  // rank 2 may not wait for anything
}

TEST_CASE("two that receive from each other are a circle, with who waits for them") {
  JobByHand by_hand(4);
  by_hand.receive(0, 1);
  by_hand.receive(1, 0);
  by_hand.receive(3, 1);
  Situation situation = by_hand.situation();
  REQUIRE(situation.stuck.size() == 1);
  CHECK(situation.stuck[0].is_circle);
  CHECK(ranks_of(situation.stuck[0]) == Ranks{0, 1});
  CHECK(situation.stuck[0].steps[0].peer == "from 1");
  CHECK_FALSE(situation.stuck[0].is_lasting);
  CHECK(situation.stuck_ranks == 3);
  for (int const rank : {0, 1}) by_hand.in(rank, Op::Recv, world, Situation::lasting_s);
  CHECK(by_hand.situation().stuck[0].is_lasting);
  CHECK_FALSE(understand(by_hand.job, nullptr).stuck[0].is_lasting);
  Job before = by_hand.job;
  before.processes[0].threads[0].stamp = 0;  // it was in another call
  CHECK_FALSE(understand(by_hand.job, &before).stuck[0].is_lasting);
}

TEST_CASE("a circle is no deadlock if a thread may come to MPI that has not called it yet") {
  JobByHand by_hand(4);
  for (int const rank : {0, 1}) by_hand.in(rank, Op::Recv, world, Situation::lasting_s).source = given(1 - rank);
  by_hand.receive(3, 1);
  auto const shown = [&] {
    std::ostringstream text;
    print_obstacles(text, by_hand.situation(), CodeLines(), Terminal{.width = 200});
    return text.str();
  };
  CHECK(shown().starts_with(
      "Deadlock\n   0 waits for 1 (Recv from 1 on W), 1 waits for 0 (Recv from 0 on W), for 5.000 s\n"
      "Rank 3 waits in the end for those.\n"));
  by_hand.job.may_have_more_threads = true;
  CHECK(shown().starts_with(
      "Circle of waits\n   0 waits for 1 (Recv from 1 on W), 1 waits for 0 (Recv from 0 on W), for 5.000 s, unless a "
      "thread of these processes that has not called MPI yet ends it\n"));
  auto const again = situation_of(to_json(by_hand.situation(), {}));
  REQUIRE(again);
  CHECK(again->stuck.at(0).unless_more_threads);
  CHECK(again->also_stuck == "3");
}

TEST_CASE("ranks of a communicator are told as those of the world") {
  JobByHand by_hand(6);
  by_hand.receive(0, 2, half);
  by_hand.receive(4, 0, half);
  Situation const situation = by_hand.situation();
  CHECK(waits_for(situation, 0) == Ranks{0, 4});  // both, in one group
  CHECK(ranks_of(situation.stuck.at(0)) == Ranks{0, 4});
}

TEST_CASE("a message that is under way is no wait in a circle") {
  JobByHand by_hand(2);
  by_hand.receive(0, 1);
  by_hand.send(1, 0);
  CHECK(by_hand.situation().stuck_ranks == 0);
  by_hand.send(0, 1);  // both send: neither receives
  CHECK(by_hand.situation().stuck_ranks == 2);
  by_hand.process(1).pending.push_back(receive_of(static_cast<int>(GivenRank::any)));
  CHECK(by_hand.situation().stuck_ranks == 0);
}

TEST_CASE("exchanges in a ring are no circle") {
  JobByHand by_hand(4);
  for (int rank = 0; rank < 4; ++rank) {
    ThreadState& state = by_hand.in(rank, Op::Sendrecv, world);
    state.dest = given((rank + 1) % 4);
    state.source = given((rank + 3) % 4);
  }
  CHECK(by_hand.situation().stuck_ranks == 0);
  // One rank sends the other way, to a rank that receives from elsewhere.
  by_hand.process(2).threads[0].dest = given(1);
  CHECK(by_hand.situation().stuck_ranks == 0);  // rank 1 can still get its messages
  by_hand.receive(1, 3);
  CHECK(by_hand.situation().stuck_ranks == 4);
}

TEST_CASE("requests are waited for if none of them can be completed") {
  JobByHand by_hand(3);
  for (int rank = 0; rank < 2; ++rank) {
    by_hand.in(rank, Op::Waitall, CommId::unknown).has_comm = false;
    by_hand.process(rank).pending = {receive_of(1 - rank)};
  }
  Situation situation = by_hand.situation();
  CHECK(ranks_of(situation.stuck.at(0)) == Ranks{0, 1});
  CHECK(situation.groups[0].pending == std::vector<std::string>{"2 Irecv on W"});
  by_hand.process(0).pending.push_back(receive_of(2));
  situation = by_hand.situation();
  CHECK(situation.stuck_ranks == 0);  // rank 2 may send
  CHECK(waits_for(situation, 0) == Ranks{0, 1, 2});
  CHECK_FALSE(group_of(situation, 0).is_certain);
}

TEST_CASE("a request that sends and receives completes with both of its messages") {
  JobByHand by_hand(3);
  auto const exchange = [&](int source_distance) {
    for (int rank = 0; rank < 3; ++rank) {
      by_hand.in(rank, Op::Wait, CommId::unknown).has_comm = false;
      by_hand.process(rank).pending = {{.op = Op::Isendrecv,
                                        .comm = world,
                                        .dest = given((rank + 1) % 3),
                                        .source = given((rank + source_distance) % 3)}};
    }
  };
  exchange(2);
  CHECK(by_hand.situation().stuck_ranks == 0);
  exchange(1);  // nobody receives from the rank that sends to it
  CHECK(by_hand.situation().stuck_ranks == 3);
  by_hand.in(0, Op::Waitall, CommId::unknown).has_comm = false;
  Situation const situation = by_hand.situation();
  CHECK(waits_for(situation, 0) == Ranks{1});
  CHECK(group_of(situation, 0).pending == std::vector<std::string>{"Isendrecv to 1 and from 1 on W"});
  CHECK(group_of(situation, 1).pending == std::vector<std::string>{"2 Isendrecv on W"});
}

TEST_CASE("anybody may answer who receives from any") {
  JobByHand by_hand(3);
  by_hand.in(0, Op::Recv, world).source = GivenRank::any;
  by_hand.in(1, Op::Barrier, world);
  CHECK(by_hand.situation().stuck_ranks == 0);
  by_hand.in(2, Op::Barrier, world);
  Situation const situation = by_hand.situation();
  CHECK(situation.stuck_ranks == 3);
  CHECK(group_of(situation, 0).waits_for_any);
  CHECK(waits_for(situation, 1) == Ranks{0});
}

TEST_CASE("a thread that computes, or a process that moves, may free the others") {
  JobByHand by_hand(2);
  by_hand.receive(0, 1);
  by_hand.receive(1, 0);
  by_hand.process(1).threads.push_back(outside(2));
  CHECK(by_hand.situation().stuck_ranks == 0);
  by_hand.process(1).threads.pop_back();
  CHECK(by_hand.situation().stuck_ranks == 2);
  by_hand.process(1).is_moving = true;
  CHECK(by_hand.situation().stuck_ranks == 0);
}

TEST_CASE("who waits for a process that has ended waits in vain") {
  JobByHand by_hand(3);
  by_hand.receive(0, 1);
  by_hand.process(1).life = Life::ended;
  Situation situation = by_hand.situation();
  REQUIRE(situation.stuck.size() == 1);
  CHECK_FALSE(situation.stuck[0].is_circle);
  CHECK(ranks_of(situation.stuck[0]) == Ranks{0, 1});
  CHECK(group_of(situation, 1).has_ended);
  // All processes have ended: the situation is the one in which they ended.
  for (ProcessState& process : by_hand.job.processes) process.life = Life::ended;
  situation = by_hand.situation();
  CHECK(situation.is_over());
  CHECK(situation.stuck.empty());
}

TEST_CASE("processes that were killed amidst their work are not stuck, although a message was under way") {
  JobByHand by_hand(2);
  for (int const rank : {0, 1}) {
    by_hand.in(rank, Op::Recv, world, rank == 0 ? 1 : Situation::brief_s / 2).source = given(1 - rank);
    by_hand.process(rank).life = Life::ended;
  }
  Situation situation = by_hand.situation();
  CHECK(situation.is_over());
  CHECK(situation.stuck.empty());
  CHECK(situation.stuck_ranks == 0);
  for (ProcessState& process : by_hand.job.processes) process.is_at_least = true;  // perhaps for longer
  CHECK(by_hand.situation().stuck.size() == 1);
  by_hand.receive(1, 0);  // for 1 s
  for (ProcessState& process : by_hand.job.processes) process.is_at_least = false;
  CHECK(by_hand.situation().stuck_ranks == 2);
}

TEST_CASE("nothing is concluded from communicators that share a record, or ranks without a file") {
  JobByHand by_hand(3);
  by_hand.receive(0, 1);
  by_hand.receive(1, 0);
  by_hand.job.communicators[0].is_plain = false;
  CHECK(by_hand.situation().stuck_ranks == 0);
  by_hand.job.communicators[0].is_plain = true;
  by_hand.receive(1, 2);
  by_hand.job.processes.pop_back();
  Situation const situation = by_hand.situation();
  CHECK(situation.stuck_ranks == 0);
  CHECK(situation.without_file == "2");
  CHECK(waits_for(situation, 1) == Ranks{1, 2});
  CHECK(group_of(situation, 1).chain.back().group == RankGroup::Link::no_group);
}

TEST_CASE("ten thousand ranks are understood at once") {
  constexpr int ranks = 10'000;
  JobByHand by_hand(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank % 10 == 0) by_hand.receive(rank, (rank + 10) % ranks);
    else by_hand.in(rank, Op::Allreduce, world);
  }
  auto const start = std::chrono::steady_clock::now();
  Situation const situation = by_hand.situation();
  CHECK(std::chrono::steady_clock::now() - start <
        std::chrono::seconds(20));  // takes about 0.1 s; quadratic time would be minutes
  CHECK(situation.groups.size() == 2);
  CHECK(situation.stuck_ranks == ranks);
  REQUIRE(situation.stuck.size() == 1);
  CHECK(situation.stuck[0].steps.size() == ranks / 10);
}

TEST_CASE("a situation comes back from JSON as it was, and nothing else does") {
  JobByHand by_hand(5);
  by_hand.receive(0, 1);
  by_hand.in(1, Op::Barrier, world).place = {"/bin/solver", "ab12", 0x4a2f};
  by_hand.in(3, Op::Waitall, CommId::unknown).has_comm = false;
  by_hand.process(3).pending = {receive_of(4)};
  by_hand.job.processes.pop_back();
  nlohmann::ordered_json const json = to_json(by_hand.situation());
  auto const restored = situation_of(json);
  REQUIRE(restored);
  CHECK(to_json(*restored) == json);
  // Each value, replaced by something else.
  std::vector<nlohmann::ordered_json> const others{-1, "x,", nullptr};
  std::size_t refused = 0, tried = 0;
  nlohmann::ordered_json const flat = json.flatten();
  for (auto const& [key, value] : flat.items()) {
    for (nlohmann::ordered_json const& other : others) {
      nlohmann::ordered_json damaged = json;
      damaged[nlohmann::ordered_json::json_pointer(key)] = other;
      auto const result = situation_of(damaged);
      ++tried;
      if (!result) ++refused;
      else
        for (RankGroup const& group : result->groups)
          for (auto const& link : group.chain)
            CHECK((link.group == RankGroup::Link::no_group || link.group < result->groups.size()));
    }
  }
  CHECK(refused > tried / 2);
  CHECK_FALSE(situation_of(nullptr));
}

TEST_CASE("operations need whom the standard says") {
  CHECK(facts_of(Op::Recv).needs == Needs::messages);
  CHECK(facts_of(Op::Ssend).sends);
  CHECK(facts_of(Op::Bsend).needs == Needs::nobody);
  CHECK(facts_of(Op::Mprobe).has_source);
  CHECK_FALSE(facts_of(Op::Mprobe).receives);
  CHECK(facts_of(Op::Iprobe_none).has_comm);
  CHECK(facts_of(Op::Iprobe_none).needs == Needs::nobody);
  CHECK(facts_of(Op::Scatterv).needs == Needs::data_of_root);
  CHECK(facts_of(Op::Gatherv).needs == Needs::data_of_all);
  CHECK(facts_of(Op::Comm_split).needs == Needs::everybody);
  CHECK(facts_of(Op::Comm_split).is_ordered);
  CHECK(facts_of(Op::Ibarrier).is_ordered);
  CHECK(facts_of(Op::Ibarrier).needs == Needs::nobody);
  CHECK_FALSE(facts_of(Op::Comm_create_group).is_ordered);
  CHECK_FALSE(facts_of(Op::Win_fence).has_comm);
  CHECK_FALSE(facts_of(Op::Comm_free).has_comm);
  CHECK(facts_of(Op::Waitany).needs == Needs::requests);
  CHECK(facts_of(static_cast<Op>(5000)).needs == Needs::nobody);
}
