// Processes that wait for each other in collective calls, and what each of them learns when they meet.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "support/simulated.hpp"

using namespace commprof;

namespace {

struct MetRun : SimulatedRun {
  using SimulatedRun::SimulatedRun;

  [[nodiscard]] OwnMessageWaits::Row const* row(std::size_t rank, Op op, WaitKind kind = WaitKind::collective) const {
    for (OwnMessageWaits::Row const& one : processes[rank]->own.by_rank())
      if (one.op == op && one.kind == kind) return &one;
    return nullptr;
  }
  // Whether the waiting of a rank is what it should be, by not more than four of its errors.
  [[nodiscard]] bool waits_for(std::size_t rank, Op op, double ticks, WaitKind kind = WaitKind::collective) const {
    OwnMessageWaits::Row const* const one = row(rank, op, kind);
    if (one != nullptr)
      UNSCOPED_INFO(one->wait_ns << " +- " << one->error_ns << " of " << one->time_ns << ", " << one->instants
                                 << " instants, unknown " << one->unknown_share);
    return one != nullptr && one->unknown_share == 0 &&
           std::abs(static_cast<double>(one->wait_ns) - ticks) <= 4 * static_cast<double>(one->error_ns);
  }
};

constexpr int steps = 100;

}  // namespace

TEST_CASE("members wait for the last one to enter a collective call, until it has entered") {
  MetRun run(3);
  for (std::uint64_t i = 0; i < steps; ++i)
    run.meet(Op::Allreduce, {i * 10 * ms, (i * 10 + 1) * ms, (i * 10 + 5) * ms});
  run.finish();
  CHECK(run.waits_for(0, Op::Allreduce, 5. * steps * ms));
  CHECK(run.waits_for(1, Op::Allreduce, 4. * steps * ms));
  CHECK(run.waits_for(2, Op::Allreduce, 0));
  for (std::size_t const rank : {0U, 1U}) {
    REQUIRE(run.processes[rank]->own.by_pair().size() == 1);
    CHECK(run.processes[rank]->own.by_pair().begin()->for_rank == 2);
  }
}

TEST_CASE("a call that ends before all others have entered it has not waited, but perhaps if some have entered it") {
  MetRun run(4);
  for (std::uint64_t i = 0; i < steps; ++i) {
    std::uint64_t const begin = i * 10 * ms;
    for (auto const& [rank, entry, exit] : {std::array<std::uint64_t, 3>{0, 0, 1}, {1, 0, 5}, {2, 2, 6}, {3, 6, 7}})
      run.processes[rank]->call(Op::Reduce, begin + entry * ms, begin + exit * ms, StreamKey::everybody,
                                Awaited::members);
  }
  run.finish();
  CHECK(run.waits_for(0, Op::Reduce, 0));
  REQUIRE(run.row(1, Op::Reduce) != nullptr);
  CHECK(run.row(1, Op::Reduce)->unknown_share == Approx(0.4).margin(0.1));  // until the third has come
}

TEST_CASE("a broadcast waits for its root only, which waits for nobody") {
  MetRun run(3);
  for (std::uint64_t i = 0; i < steps; ++i) {
    std::uint64_t const begin = i * 10 * ms;
    run.processes[0]->call(Op::Bcast, begin, begin + 4 * ms, 1, Awaited::members);
    run.processes[1]->call(Op::Bcast, begin + 3 * ms, begin + 4 * ms, 1, Awaited::nothing);
    run.processes[2]->call(Op::Bcast, begin + 7 * ms, begin + 8 * ms, 1, Awaited::members);
  }
  run.finish();
  CHECK(run.waits_for(0, Op::Bcast, 3. * steps * ms));
  CHECK(run.row(1, Op::Bcast) == nullptr);
  CHECK(run.waits_for(2, Op::Bcast, 0));
}

TEST_CASE("meetings beyond the limit are dropped alike, by a hash, and the others count for more") {
  Meetings few, many, all;
  for (Meetings* const one : {&few, &many}) {
    MessageHead head;
    head.comm = MessageComm::of("W");
    head.members = 2;
    REQUIRE(one->heads.push_back(head));
    for (instants::Cell cell = 0; cell < (one == &few ? 1000 : 3 * Meetings{}.most); ++cell) {
      Meeting meeting;
      meeting.comm = head.comm;
      meeting.cell = cell;
      REQUIRE(one->rows.push_back(meeting));
    }
  }
  many.order();
  CHECK(many.rows.size() <= Meetings{}.most);
  unsigned const level = many.heads.begin()->level;
  CHECK(level == 2);
  REQUIRE(all.add(few));
  CHECK(all.rows.size() == 1000);
  REQUIRE(all.add(many));
  CHECK(all.heads.begin()->level == level);
  for (Meeting const& one : all.rows) REQUIRE(one.is_kept(level));
  CHECK(all.rows.size() == many.rows.size());
}

TEST_CASE("a call whose message is there waits for a process outside MPI that has requests pending") {
  MetRun run(2);
  RecordKey const isend = RecordKey::of(CommIndex::world, ScopeIndex::main, Op::Isend, SizeBin{});
  Simulated &receiver = *run.processes[0], &sender = *run.processes[1];
  for (std::uint64_t i = 0; i < steps; ++i) {
    std::uint64_t const begin = i * 10 * ms;
    sender.waits.count(StreamKey::of(Way::out, CommIndex::world, 0, 0), {begin + ms});
    sender.waits.pass({begin + 6 * ms}, {begin + 7 * ms});  // the call that completes the request
    sender.waits.add_pending(isend, {begin + ms});
    std::uint32_t const number = receiver.waits.count(StreamKey::of(Way::in, CommIndex::world, 1, 0), {begin});
    Awaited const one{.comm = CommIndex::world, .peer = 1, .world_rank = WorldRank{1}, .number = number};
    receiver.span(Op::Recv, begin, begin + 7 * ms, {one});
  }
  run.finish();
  CHECK(run.waits_for(0, Op::Recv, 1. * steps * ms, WaitKind::late_sender));
  CHECK(run.waits_for(0, Op::Recv, 5. * steps * ms, WaitKind::no_progress));
  CHECK(run.row(1, Op::Isend, WaitKind::no_progress) == nullptr);
}

TEST_CASE("a log that collective calls on many communicators fill has fewer instants, and keeps the streams") {
  MessageWaits waits;
  waits.begin({});
  StreamKey const message = StreamKey::of(Way::out, CommIndex::world, 1, 5);
  std::uint32_t const rounds = 700;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    waits.count(message, {i * 10 * ms});
    for (std::uint32_t comm = 0; comm < 300; ++comm)
      waits.count(StreamKey::of_members(CommIndex{comm}, calls::Joint::communicator), {i * 10 * ms + comm * ms / 100});
  }
  CHECK(waits.counted(message) == rounds);
  CHECK(waits.level() > 4);  // 7 s of cells of 0.5 ms, of which 65,536 / 300 are kept
  CHECK_FALSE(waits.is_doubtful(message));
}
