#include "waiting/situation.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "files/rank_set.hpp"
#include "findings/situation_words.hpp"
#include "ops.hpp"
#include "views/job_view.hpp"

using namespace mpisee_through;
using commprof::Op;

namespace {

constexpr CommId world{0}, half{1};

Op op_named(std::string const& name) {
  for (int op = 0; op < static_cast<int>(Op::count_); ++op)
    if (commprof::op_name(static_cast<Op>(op)) == name) return static_cast<Op>(op);
  FAIL("no operation " << name);
  return {};
}

// Running ranks, outside MPI for a second; communicators W of all, and W_s1.0 of the even ranks.
Job running(int ranks) {
  Job job;
  job.ranks = ranks;
  job.communicators = {{"W", ranks, true, {}, {}}, {"W_s1.0", (ranks + 1) / 2, true, {}, {}}};
  for (int rank = 0; rank < ranks; ++rank) {
    job.communicators[0].members.push_back(rank);
    if (rank % 2 == 0) job.communicators[1].members.push_back(rank);
    ProcessState process;
    process.rank = rank;
    process.life = Life::running;
    process.threads.resize(1);
    process.threads[0].stamp = 1;
    process.threads[0].seconds = 1;
    job.processes.push_back(process);
  }
  for (JobCommunicator& one : job.communicators) one.world_rank = one.members;
  return job;
}

GivenRank given(std::string const& text) { return text == "*" ? GivenRank::any : GivenRank{std::stoi(text)}; }

// What follows the name of a rank's operation: a letter, and its value.
void change(ProcessState& process, char letter, std::string const& value) {
  ThreadState& state = process.threads[0];
  if (letter == '<') state.source = given(value);
  if (letter == '>') state.dest = given(value);
  if (letter == '^') state.root = given(value);
  if (letter == '@') state.seconds = std::stod(value);
  if (letter == '/') state.comm = half;
  if (letter == '#') process.collectives[world] = std::stoul(value);
  if (letter == '!') process.life = Life::ended;
  if (letter == '~') process.is_moving = true;
  if (letter == '&') process.threads.emplace_back();
  if (letter == '+')  // a request for a message
    process.pending.push_back({.op = Op::Irecv, .comm = world, .source = given(value), .is_receive = true});
}

// "0,2:Recv<1": ranks, what they are in, on W, and letters as above; "0-3:" changes nothing but what letters say.
Job job_of(int ranks, std::string const& text) {
  constexpr char const* letters = "<>^@/#!~&+";
  Job job = running(ranks);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::size_t const colon = word.find(':'), name_end = std::min(word.find_first_of(letters), word.size());
    std::vector<std::int32_t> const changed = RankSet::parse(word.substr(0, colon))->numbers().value();
    for (int const rank : changed) {
      ProcessState& process = job.processes[static_cast<std::size_t>(rank)];
      if (std::string const name = word.substr(colon + 1, name_end - colon - 1); !name.empty()) {
        ThreadState& state = process.threads[0];
        state.op = op_named(name);
        state.has_comm = !name.starts_with("Wait");
        state.comm = state.has_comm ? world : CommId::unknown;
      }
      for (std::size_t at = name_end; at < word.size();) {
        std::size_t const end = std::min(word.find_first_of(letters, at + 1), word.size());
        change(process, word[at], word.substr(at + 1, end - at - 1));
        at = end;
      }
    }
  }
  return job;
}

// Who waits for whom, by group: "0,2>1" for all of them, "0~1" for perhaps some, "0?1" for any; then the stuck ranks,
// with circles.
std::string told(Situation const& situation) {
  std::string text;
  for (RankGroup const& group : situation.groups)
    if (!group.waits_for.empty())
      text += ranges_of(group.ranks) +
              (group.waits_for_any ? "?"
               : group.is_certain  ? ">"
                                   : "~") +
              ranges_of(group.waits_for) + " ";
  text += "stuck " + std::to_string(situation.stuck_ranks);
  for (StuckRanks const& stuck : situation.stuck) {
    text += stuck.is_circle ? " circle" : " line";
    for (StuckRanks::Step const& step : stuck.steps) text += " " + std::to_string(step.rank);
    if (stuck.is_lasting) text += " lasting";
  }
  for (Mismatch const& one : situation.mismatches) {
    text += " mismatch";
    for (RanksOfGroup const& side : one.sides) text += " " + ranges_of(side.ranks) + side.peer;
  }
  return text;
}

Situation understood(Job const& job) { return understand(job, &job); }

}  // namespace

TEST_CASE("who waits for whom, and which ranks are stuck") {
  struct Case {
    int ranks;
    char const* job;
    char const* expected;
  };
  // The second column says what ranks are in, the third one who waits for whom, as MPI has it for these calls.
  Case const cases[]{
      // A collective waits for those who have begun fewer of them; rank 3 has gone through the call.
      {4, "0-3:#5 3:#6 0-1:Allreduce", "0-1>2 stuck 0"},
      {6, "0,2,4:Allreduce/", "stuck 0"},
      // Collective calls of one number that do not match are told, and no circle of their ranks; not if a rank is in
      // its next call. Roots have to match, too.
      {4, "0,2:Allreduce@3 1:Barrier@2", "0,2>1,3 1>0,2-3 stuck 3 mismatch 0,2 1"},
      {4, "0,2:Allreduce@3 1:Barrier@2 3:Allreduce", "0,2-3>1 1>0,2-3 stuck 4 mismatch 0,2-3 1"},
      {4, "0,2:Allreduce@3 1:Barrier@2#1", "0,2>3 1>0,2-3 stuck 0"},
      {3, "0-1:Bcast^2 2:Bcast^0", "stuck 0 mismatch 0-1with root 2 2with root 0"},
      {3, "0-2:Bcast^2", "stuck 0"},
      // A broadcast waits for its root, a reduction at its root for all.
      {4, "1-2:Bcast^0", "1-2>0 stuck 0"},
      {4, "1-2:Reduce^1", "1-2~0,3 stuck 0"},
      // Two that receive from each other are a circle; after five seconds, no message can be under way.
      {4, "0:Recv<1 1:Recv<0 3:Recv<1", "0-1,3>0-1 stuck 3 circle 0 1"},
      {2, "0:Recv<1@5 1:Recv<0@5", "0-1>0-1 stuck 2 circle 0 1 lasting"},
      {6, "0:Recv<2/ 4:Recv<0/", "0,4>0,4 stuck 2 circle 0 4"},
      // A message that is under way is no wait; both send: neither receives, unless a request takes it.
      {2, "0:Recv<1 1:Send>0", "0~1 1~0 stuck 0"},
      {2, "0:Send>1 1:Send>0", "0-1>0-1 stuck 2 circle 0 1"},
      {2, "0:Send>1 1:Send>0+*", "0-1~0-1 stuck 0"},
      // Exchanges in a ring are none, until a rank sends the other way to one that receives from elsewhere.
      {4, "0:Sendrecv>1<3 1:Sendrecv>2<0 2:Sendrecv>3<1 3:Sendrecv>0<2", "0-3~0-3 stuck 0"},
      {4, "0:Sendrecv>1<3 1:Sendrecv>2<0 2:Sendrecv>1<1 3:Sendrecv>0<2", "0-3~0-3 stuck 0"},
      {4, "0:Sendrecv>1<3 1:Recv<3 2:Sendrecv>1<1 3:Sendrecv>0<2", "0,2-3>1-2 1>3 stuck 4 circle 1 3 2"},
      // Requests are waited for if none of them can be completed.
      {3, "0:Waitall+1 1:Waitall+0", "0-1>0-1 stuck 2 circle 0 1"},
      {3, "0:Waitall+1+2 1:Waitall+0", "0-1~0-2 stuck 0"},
      // Anybody may answer a receive from any.
      {3, "0:Recv<* 1:Barrier", "0?1-2 1>0,2 stuck 0"},
      {3, "0:Recv<* 1-2:Barrier", "0?1-2 1-2>0 stuck 3 circle 0 1"},
      // A thread that computes, or a process that moves, may free the others.
      {2, "0:Recv<1 1:Recv<0&", "0-1>0-1 stuck 0"},
      {2, "0:Recv<1 1:Recv<0~", "0-1>0-1 stuck 0"},
      // A process that has ended answers nobody. If all have, they were killed amidst their work: in the last half of a
      // second, messages were under way.
      {3, "0:Recv<1 1:!", "0>1 stuck 1 line 0 1"},
      {3, "0:Recv<1! 1:! 2:!", "0>1 stuck 0"},
      {2, "0:Recv<1! 1:Recv<0!@0.25", "0-1>0-1 stuck 0"},
      {2, "0:Recv<1! 1:Recv<0!", "0-1>0-1 stuck 2 circle 0 1"},
  };
  for (Case const& one : cases) {
    INFO(one.job);
    CHECK(told(understood(job_of(one.ranks, one.job))) == one.expected);
  }
}

TEST_CASE("nothing is concluded from shared records, older looks, other calls and ranks without a file") {
  Job job = job_of(3, "0:Recv<1@5 1:Recv<0@5");
  CHECK(told(understand(job, nullptr)).ends_with("circle 0 1"));
  Job before = job;
  before.processes[0].threads[0].stamp = 0;
  CHECK(told(understand(job, &before)).ends_with("circle 0 1"));
  job.communicators[0].is_plain = false;
  CHECK(told(understood(job)).ends_with("stuck 0"));
  job = job_of(3, "0:Recv<1 1:Recv<2");
  job.processes.pop_back();
  CHECK(told(understood(job)).ends_with("stuck 0"));
  CHECK(understood(job).without_file == "2");
  CHECK(understood(job).groups[0].chain.back().group == no_group);
}

TEST_CASE("obstacles in words, and a circle that a thread without calls so far may end") {
  Job job = job_of(4, "0:Recv<1@5 1:Recv<0@5 3:Recv<1");
  auto const shown = [&] {
    std::ostringstream text;
    print_obstacles(text, understood(job), CodeLines(), Terminal{.width = 200});
    return text.str();
  };
  CHECK(shown().starts_with(
      "Deadlock\n   0 waits for 1 (Recv from 1 on W), 1 waits for 0 (Recv from 0 on W), for 5.000 s\n"
      "Rank 3 waits in the end for those.\n"));
  job.may_have_more_threads = true;
  CHECK(shown().starts_with(
      "Circle of waits\n   0 waits for 1 (Recv from 1 on W), 1 waits for 0 (Recv from 0 on W), for 5.000 s, "
      "unless a thread of these processes that has not called MPI yet ends it\n"));
  CHECK(SituationWords(understood(job_of(4, "0,2:Allreduce@3 1:Barrier@2")), CodeLines()).obstacles().at(0).verdict ==
        "stuck for 2.000 s in Allreduce on W, while rank 1 is in Barrier on the same communicator");
}

TEST_CASE("ten thousand ranks are understood at once") {
  constexpr int ranks = 10'000;
  Job job = running(ranks);
  for (ProcessState& process : job.processes) {
    ThreadState& state = process.threads[0];
    state.op = process.rank % 10 == 0 ? Op::Recv : Op::Allreduce;
    state.comm = world;
    state.has_comm = true;
    if (process.rank % 10 == 0) state.source = GivenRank{(process.rank + 10) % ranks};
  }
  Situation const situation = understood(job);
  CHECK(situation.groups.size() == 2);
  CHECK(situation.stuck_ranks == ranks);
  REQUIRE(situation.stuck.size() == 1);
  CHECK(situation.stuck[0].steps.size() == ranks / 10);
}

TEST_CASE("a situation comes back from JSON as it was, and nothing else does") {
  Job job = job_of(5, "0:Recv<1 1:Barrier 3:Waitall+4");
  job.processes[1].threads[0].place = {"/bin/solver", "ab12", 0x4a2f};
  job.processes.pop_back();
  nlohmann::ordered_json const json = to_json(understood(job));
  auto const restored = situation_of(json);
  REQUIRE(restored);
  CHECK(to_json(*restored) == json);
  // Each value, replaced by something else.
  std::size_t refused = 0, tried = 0;
  nlohmann::ordered_json const flat = json.flatten();
  for (auto const& [key, value] : flat.items()) {
    for (nlohmann::ordered_json const& other : std::vector<nlohmann::ordered_json>{-1, "x,", nullptr}) {
      nlohmann::ordered_json damaged = json;
      damaged[nlohmann::ordered_json::json_pointer(key)] = other;
      auto const result = situation_of(damaged);
      ++tried;
      if (!result) ++refused;
      else
        for (RankGroup const& group : result->groups)
          for (auto const& link : group.chain) CHECK((link.group == no_group || link.group < result->groups.size()));
    }
  }
  CHECK(refused > tried / 2);
  CHECK_FALSE(situation_of(nullptr));
}

TEST_CASE("operations need whom the standard says") {
  std::pair<Op, Needs> const needs[]{
      {Op::Recv, Needs::messages},         {Op::Bsend, Needs::nobody},        {Op::Iprobe_none, Needs::nobody},
      {Op::Scatterv, Needs::data_of_root}, {Op::Gatherv, Needs::data_of_all}, {Op::Comm_split, Needs::everybody},
      {Op::Ibarrier, Needs::nobody},       {Op::Waitany, Needs::requests},    {static_cast<Op>(5000), Needs::nobody}};
  for (auto const& [op, expected] : needs) CHECK(facts_of(op).needs == expected);
  CHECK((facts_of(Op::Ssend).sends && facts_of(Op::Mprobe).has_source && !facts_of(Op::Mprobe).receives));
  CHECK((facts_of(Op::Comm_split).is_ordered && facts_of(Op::Ibarrier).is_ordered));
  CHECK_FALSE(facts_of(Op::Comm_create_group).is_ordered);
  CHECK_FALSE(facts_of(Op::Win_fence).has_comm);
}
