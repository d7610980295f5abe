// Processes of a simulated run, whose calls are made at times that a test chooses. What they learn of each other at the
// end goes from one to the other without MPI.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "calls/by_operation.hpp"
#include "message_waits/own_message_waits.hpp"
#include "ops.hpp"

namespace commprof {

inline constexpr std::uint64_t ms = 1'000'000;  // ticks, which are nanoseconds

struct Simulated {
  MessageWaits waits;
  OwnMessageWaits own;
  Sites sites;
  std::vector<Record> records;
  std::uint64_t in_mpi = 0;  // until the latest exit

  Simulated() {
    REQUIRE(sites.start());
    this_thread.current_call->outside = {};
    waits.begin({});
  }
  ~Simulated() { sites.release(); }
  Simulated(Simulated const&) = delete;
  Simulated& operator=(Simulated const&) = delete;

  // From now on, the process is in a call that it entered then.
  void enter(std::uint64_t entry) const { this_thread.current_call->outside = {entry - std::min(entry, in_mpi)}; }
  // Enters a collective call; root: StreamKey::everybody if all are awaited.
  void call(Op op, std::uint64_t entry, std::uint64_t exit, std::int32_t root, Awaited::What what) {
    enter(entry);
    std::uint32_t const number =
        waits.count(StreamKey::of_members(CommIndex::world, calls::Joint::communicator), {entry}, op);
    Awaited const one{.comm = CommIndex::world,
                      .peer = root,
                      .world_rank = static_cast<WorldRank>(root),
                      .number = number,
                      .what = what};
    if (calls::aligns_members(op)) waits.align(CommIndex::world, number, {exit});
    span(op, entry, exit, {one});
  }
  // A call that awaits these.
  void span(Op op, std::uint64_t entry, std::uint64_t exit, std::vector<Awaited> const& awaited) {
    enter(entry);
    if (waits.may_span({{exit - entry}, {exit}}))
      waits.span({.entry = {entry}, .exit = {exit}, .op = op, .scope = ScopeIndex::main}, awaited.data(),
                 awaited.size());
    in_mpi += exit - entry;
    Record record{};
    record.key = RecordKey::of(CommIndex::world, ScopeIndex::main, op, SizeBin{});
    record.calls = 1;
    record.time = {exit - entry};
    records.push_back(record);
  }
};

struct SimulatedRun {
  std::vector<std::unique_ptr<Simulated>> processes;
  Ticks end{1'010 * ms};

  explicit SimulatedRun(int ranks) {
    for (int rank = 0; rank < ranks; ++rank) processes.push_back(std::make_unique<Simulated>());
  }
  OwnMessageWaits& own(std::int32_t rank) const { return processes[static_cast<std::size_t>(rank)]->own; }
  // All enter a call; each leaves it when the last one has come.
  void meet(Op op, std::vector<std::uint64_t> const& entries) const {
    std::uint64_t const last = *std::max_element(entries.begin(), entries.end());
    for (std::size_t rank = 0; rank < entries.size(); ++rank)
      processes[rank]->call(op, entries[rank], last + ms, StreamKey::everybody, Awaited::members);
  }
  void share_meetings() const {
    Meetings all;
    for (auto const& one : processes) REQUIRE(all.add(one->own.meetings()));
    for (auto const& one : processes) {
      Meetings own;
      REQUIRE(all.select(own, [](MessageHead const&) { return true; }));
      one->own.meetings().swap(own);
    }
  }
  void finish() const {
    std::int32_t rank = 0;
    for (auto const& one : processes) {
      one->waits.pass(end, end);
      one->waits.order();
      one->own.begin(one->waits, rank, {1, 1});
      PageVector<OwnMessageWaits::Comm> comms;
      OwnMessageWaits::Comm world;
      world.name = MessageComm::of("W");
      world.own_rank = rank++;
      world.members = static_cast<std::uint32_t>(processes.size());
      world.is_known_alike = world.has_members = true;
      REQUIRE(comms.push_back(world));
      one->own.take(comms);
      one->own.ask();
    }
    share_meetings();
    for (auto const& one : processes) one->own.answer_meetings();
    share_meetings();
    for (auto const& one : processes) one->own.take_meetings();
    for (auto const& one : processes) {
      for (OwnMessageWaits::ToAsk const& asked : one->own.questions())
        one->own.take(asked, own(asked.to).answer(asked.question));
      one->own.find_waits();
    }
    find_causes();
  }
  void find_causes() const {
    for (auto const& one : processes)
      one->own.causes().judge([&](std::int32_t whom) { return static_cast<double>(own(whom).causes().moving()); });
    for (auto const& one : processes) {
      for (Causes::Chain& chain : one->own.causes().chain(0))
        while (chain.end == Causes::Chain::open) {
          one->own.causes().advance(chain);
          if (chain.end == Causes::Chain::open) Causes::follow(chain, own(chain.whom).causes().next(chain.cell));
        }
      one->own.count(one->records, one->sites);
      REQUIRE(one->own.finish());
    }
    for (auto const& one : processes)
      for (OwnMessageWaits::Blame const& blame : one->own.blames()) REQUIRE(own(blame.to).take(blame));
    for (auto const& one : processes) REQUIRE(one->own.finish_causes());
  }
};

}  // namespace commprof
