// Programs of known causes, simulated: who is found to cause the waiting.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <random>
#include <tuple>

#include "support/simulated.hpp"

using namespace commprof;

namespace {

// What a process does next.
struct Step {
  enum Kind { work, exchange, rendezvous, collective } kind;
  std::uint64_t ticks = 0;          // of work
  std::vector<int> to{}, from{};    // exchange: sends, and waits for what it receives
  int root = StreamKey::everybody;  // collective: the one that all wait for, or that waits for all
  Op op{};
};
using Program = std::function<std::vector<Step>(int rank)>;

Step work(std::uint64_t ticks) { return {.kind = Step::work, .ticks = ticks}; }
Step exchange(std::vector<int> to, std::vector<int> from) {
  return {.kind = Step::exchange, .to = std::move(to), .from = std::move(from), .op = Op::Waitall};
}
Step send(int to) { return {.kind = Step::exchange, .to = {to}, .op = Op::Send}; }
Step receive(int from) { return {.kind = Step::exchange, .from = {from}, .op = Op::Recv}; }
Step send_synchronously(int to) { return {.kind = Step::rendezvous, .to = {to}, .op = Op::Ssend}; }
Step together(Op op = Op::Allreduce, int root = StreamKey::everybody) {
  return {.kind = Step::collective, .root = root, .op = op};
}

// Runs the programs of all ranks, in which messages and calls take no time but that of waiting and `latency`.
class Simulator {
 public:
  // tags: how many different ones the messages of a pair have in turn.
  Simulator(int ranks, Program const& program, int tags = 1)
      : run_(ranks), ranks_(static_cast<std::size_t>(ranks)), tags_(tags) {
    for (int rank = 0; rank < ranks; ++rank) ranks_[static_cast<std::size_t>(rank)].steps = program(rank);
    for (bool has_moved = true; has_moved;) {
      has_moved = false;
      for (int rank = 0; rank < ranks; ++rank)
        while (make_step(rank)) has_moved = true;
    }
    for (Rank const& rank : ranks_) {
      REQUIRE(rank.next == rank.steps.size());
      run_.end = std::max(run_.end, Ticks{rank.now});
    }
    run_.finish();
  }

  // The share of all waiting that a rank causes; without a rank, that has no cause but the pattern.
  double share_of(int rank) const {
    double caused = 0;
    for (OwnMessageWaits::CauseRow const& row : run_.own(rank).cause_rows())
      caused += static_cast<double>(row.caused_ns);
    return caused / waiting();
  }
  double share_of_pattern() const {
    double of_pattern = 0;
    for (auto const& one : run_.processes)
      for (MessageRow const& row : one->own.rows().rows) of_pattern += row.pattern;
    return of_pattern / waiting();
  }
  double waiting() const {
    double sum = 0;
    for (auto const& one : run_.processes) sum += static_cast<double>(one->own.measured_ns());
    return sum;
  }

 private:
  static constexpr std::uint64_t latency = ms / 200;

  struct Rank {
    std::vector<Step> steps;
    std::size_t next = 0;
    std::uint64_t now = 0;
    bool is_in_step = false;
    std::vector<std::uint32_t> numbers;  // of the messages that it waits for
    std::uint32_t calls = 0;             // collective
  };
  using Message = std::tuple<int, int, std::uint32_t>;

  // False if the process has to wait for others.
  bool make_step(int rank) {
    Rank& own = ranks_[static_cast<std::size_t>(rank)];
    if (own.next == own.steps.size()) return false;
    Step const& step = own.steps[own.next];
    if (step.kind == Step::work) own.now += step.ticks;
    else if (!(step.kind == Step::collective ? meet(rank, own, step) : exchange_messages(rank, own, step)))
      return false;
    own.is_in_step = false;
    ++own.next;
    return true;
  }
  bool exchange_messages(int rank, Rank& own, Step const& step) {
    bool const is_synchronous = step.kind == Step::rendezvous;
    if (!own.is_in_step) {
      own.is_in_step = true;
      own.numbers.clear();
      for (int const to : step.to) {
        std::uint32_t const number = sent_[{rank, to}]++;
        sent_at_[{rank, to, number}] = own.now;
        if (is_synchronous) own.numbers.push_back(number);
      }
      for (int const from : step.from) {
        std::uint32_t const number = received_[{from, rank}]++;
        posted_at_[{from, rank, number}] = own.now;
        own.numbers.push_back(number);
      }
    }
    std::uint64_t exit = own.now + latency;
    for (std::size_t i = 0; i < own.numbers.size(); ++i) {
      Message const message =
          is_synchronous ? Message{rank, step.to[i], own.numbers[i]} : Message{step.from[i], rank, own.numbers[i]};
      auto const& others = is_synchronous ? posted_at_ : sent_at_;
      auto const found = others.find(message);
      if (found == others.end()) return false;
      exit = std::max(exit, found->second + latency);
    }
    count(rank, own, step, exit);
    own.now = exit;
    return true;
  }
  void count(int rank, Rank const& own, Step const& step, std::uint64_t exit) {
    Simulated& process = *run_.processes[static_cast<std::size_t>(rank)];
    process.enter(own.now);
    std::vector<Awaited> all;
    auto const add = [&](Way way, int peer) {
      int const tag = counted_[{way, rank, peer}]++ % tags_;
      std::uint32_t const number =
          process.waits.count(StreamKey::of(way, CommIndex::world, peer, tag), {own.now}, step.op);
      all.push_back({CommIndex::world, peer, tag, WorldRank{peer}, number, way});
    };
    for (int const to : step.to) add(Way::out, to);
    for (int const from : step.from) add(Way::in, from);
    process.span(step.op, own.now, exit, all);
  }
  // A root that gives is awaited by all; one that takes waits for all, and others do not wait.
  bool meet(int rank, Rank& own, Step const& step) {
    bool const is_rooted = step.root != StreamKey::everybody, gives = step.op == Op::Bcast;
    std::map<int, std::uint64_t>& entered = entered_[own.calls];
    entered.emplace(rank, own.now);
    std::uint64_t exit = own.now + latency;
    if (is_rooted && gives) {
      if (!entered.contains(step.root)) return false;
      exit = std::max(exit, entered.at(step.root) + latency);
    } else if (!is_rooted || rank == step.root) {
      if (entered.size() < ranks_.size()) return false;
      for (auto const& [other, entry] : entered) exit = std::max(exit, entry + latency);
    }
    Awaited::What const what = is_rooted && gives && rank == step.root ? Awaited::nothing : Awaited::members;
    run_.processes[static_cast<std::size_t>(rank)]->call(step.op, own.now, exit,
                                                         gives ? step.root : StreamKey::everybody, what);
    ++own.calls;
    own.now = exit;
    return true;
  }

  SimulatedRun run_;
  std::vector<Rank> ranks_;
  int tags_;
  std::map<std::tuple<Way, int, int>, int> counted_;
  std::map<std::pair<int, int>, std::uint32_t> sent_, received_;
  std::map<Message, std::uint64_t> sent_at_, posted_at_;
  std::map<std::uint32_t, std::map<int, std::uint64_t>> entered_;
};

// Up to 2 % more.
std::uint64_t noisy(int rank, int step, std::uint64_t ticks) {
  return ticks + scattered(static_cast<std::uint64_t>(rank) << 32 | static_cast<std::uint32_t>(step)) % (ticks / 50);
}

std::vector<Step> pipeline(int rank, int ranks, int slow, int steps) {
  std::vector<Step> all;
  for (int i = 0; i < steps; ++i) {
    if (rank > 0) all.push_back(receive(rank - 1));
    all.push_back(work(noisy(rank, i, rank == slow ? 20 * ms : 5 * ms)));
    if (rank + 1 < ranks) all.push_back(send(rank + 1));
  }
  return all;
}

}  // namespace

TEST_CASE("lateness that is handed on down a pipeline is the doing of the slow stage") {
  int const ranks = GENERATE(4, 16), tags = GENERATE(1, 150);  // a new one in each step
  Simulator const run(
      ranks, [&](int rank) { return pipeline(rank, ranks, ranks / 4, 150); }, tags);
  CHECK(run.share_of(ranks / 4) > 0.9);
}

TEST_CASE("a slow process in a grid makes all others wait, and those for each other") {
  int const width = GENERATE(4, 8);
  int const slow = width * width / 2 + 1;
  Simulator const run(width * width, [&](int rank) {
    int const x = rank % width, y = rank / width;
    auto const at = [&](int column, int row) { return (column + width) % width + (row + width) % width * width; };
    std::vector<int> const others{at(x + 1, y), at(x - 1, y), at(x, y + 1), at(x, y - 1)};
    std::vector<Step> all;
    for (int i = 0; i < 100; ++i) {
      all.push_back(work(noisy(rank, i, rank == slow ? 13 * ms : 10 * ms)));
      all.push_back(exchange(others, others));
    }
    return all;
  });
  CHECK(run.share_of(slow) > 0.8);
}

TEST_CASE("one late step of one process goes on as a wave") {
  Simulator const run(16, [](int rank) {
    std::vector<int> others;
    for (int const other : {rank - 1, rank + 1})
      if (other >= 0 && other < 16) others.push_back(other);
    std::vector<Step> all;
    for (int i = 0; i < 120; ++i) {
      all.push_back(work(noisy(rank, i, 10 * ms) + (rank == 1 && i == 40 ? 500 * ms : 0)));
      all.push_back(exchange(others, others));
    }
    return all;
  });
  CHECK(run.share_of(1) > 0.8);
}

TEST_CASE("each of those that are late in turn has its part") {
  Simulator const run(4, [](int rank) {
    std::vector<Step> all;
    for (int i = 0; i < 200; ++i) {
      all.push_back(work(i % 4 == rank ? 30 * ms : 5 * ms));
      all.push_back(together());
    }
    return all;
  });
  for (int const rank : {0, 1, 2, 3}) CHECK(run.share_of(rank) == Approx(0.25).margin(0.08));
}

TEST_CASE("a messenger that waits itself before a broadcast is not the cause") {
  Simulator const run(8, [](int rank) {
    std::vector<Step> all;
    for (int i = 0; i < 120; ++i) {
      all.push_back(work(noisy(rank, i, rank == 1 ? 27 * ms : 20 * ms)));
      if (rank == 0)
        for (int from = 1; from < 8; ++from) all.push_back(receive(from));
      else all.push_back(send(0));
      all.push_back(together(Op::Bcast, 0));
    }
    return all;
  });
  CHECK(run.share_of(1) > 0.9);
}

TEST_CASE("what came before a collective call of all is forgotten") {
  Simulator const run(16, [](int rank) {
    std::vector<Step> all;
    for (int i = 0; i < 100; ++i) {
      all.push_back(work(noisy(rank, i, rank == 1 ? 20 * ms : 10 * ms)));
      all.push_back(exchange({(rank + 1) % 16}, {(rank + 15) % 16}));
      all.push_back(work(noisy(rank, i + 1000, rank == 2 ? 20 * ms : 10 * ms)));
      all.push_back(together());
    }
    return all;
  });
  CHECK(run.share_of(1) == Approx(0.5).margin(0.1));
  CHECK(run.share_of(2) == Approx(0.5).margin(0.1));
}

TEST_CASE("a cause that changes in the middle of the run has its time only") {
  Simulator const run(16, [](int rank) {
    std::vector<Step> all;
    for (int const slow : {0, 8}) {
      for (int i = 0; i < 60; ++i) {
        if (rank > 0) all.push_back(receive(rank - 1));
        all.push_back(work(noisy(rank, i, rank == slow ? 20 * ms : 5 * ms)));
        if (rank + 1 < 16) all.push_back(send_synchronously(rank + 1));
      }
      all.push_back(together());
    }
    return all;
  });
  CHECK(run.share_of(0) == Approx(0.48).margin(0.1));
  CHECK(run.share_of(8) == Approx(0.48).margin(0.1));
}

TEST_CASE("pairs that work in turn wait for each other because of the pattern, and nobody causes it") {
  int const tags = GENERATE(1, 100);
  auto const program = [](int rank) {
    std::vector<Step> all;
    int const other = rank ^ 1;
    for (int i = 0; i < 100; ++i) {
      if (rank % 2 == 1) all.push_back(receive(other));
      all.push_back(work(noisy(rank, i, 10 * ms)));
      all.push_back(send(other));
      if (rank % 2 == 0) all.push_back(receive(other));
    }
    return all;
  };
  Simulator const run(4, program, tags);
  CHECK(run.share_of_pattern() > 0.85);
  for (int const rank : {0, 1, 2, 3}) CHECK(run.share_of(rank) < 0.1);
}

TEST_CASE("whether a sender waits for a receiver that lags behind it is not known") {
  SimulatedRun run(2);
  Simulated &sender = *run.processes[0], &receiver = *run.processes[1];
  std::uint64_t const us = ms / 1000;
  for (std::uint64_t begin = ms; begin < 980 * ms; begin += 20 * ms)
    for (std::uint64_t i = 0; i < 100; ++i) {
      std::uint64_t const sent = begin + i * 50 * us, posted = begin + (i + 1) * 51 * us;
      sender.enter(sent);
      StreamKey const out = StreamKey::of(Way::out, CommIndex::world, 1, 0);
      Awaited const one{.comm = CommIndex::world,
                        .peer = 1,
                        .world_rank = WorldRank{1},
                        .number = sender.waits.count(out, {sent}, Op::Send),
                        .way = Way::out};
      sender.span(Op::Send, sent, sent + 50 * us, {one});
      receiver.enter(posted);
      receiver.waits.count(StreamKey::of(Way::in, CommIndex::world, 0, 0), {posted}, Op::Recv);
    }
  run.finish();
  auto const found = std::ranges::find(run.own(0).by_rank(), WaitKind::late_receiver, &OwnMessageWaits::Row::kind);
  REQUIRE(found != run.own(0).by_rank().end());
  CHECK(found->wait_ns < found->time_ns / 50);
  CHECK(found->unknown_share > 0.3);
}

TEST_CASE("the time before the run is no work of the process, whatever the uptime of its host") {
  this_thread.current_call->outside = {};
  this_thread.current_call->since = {};
  static MessageWaits waits;
  Ticks const begin{std::uint64_t{100'000} * ms};
  waits.begin(begin);
  Ticks const entry = begin + Ticks{10 * ms}, exit = begin + Ticks{50 * ms};
  this_thread.current_call->begin(Op::Recv, entry, nullptr);
  this_thread.current_call->end(exit, exit - entry);
  std::uint32_t const number = waits.count(StreamKey::of(Way::in, CommIndex::world, 1, 0), entry);
  Awaited const one{.comm = CommIndex::world, .peer = 1, .number = number};
  waits.span({.entry = entry, .exit = exit, .op = Op::Recv, .scope = ScopeIndex::main}, &one, 1);
  REQUIRE(waits.spans().size() == 1);
  Stamp const lap = waits.awaited(0).lap;
  CHECK(lap.at == Approx(10 * ms / 1024).margin(2));
  CHECK(lap.outside == lap.at);
  *this_thread.current_call = {};
}
