// The facts of the whole run: run.json.
#pragma once

#include <array>
#include <cstdint>

#include "finalize/run_facts.hpp"
#include "finalize/text_writer.hpp"
#include "profile/clock.hpp"
#include "profile/dropped.hpp"
#include "profile/schema.hpp"

namespace commprof {

// What each process adds to the facts of the run. Sent as it is, so it holds numbers only.
struct RunSummary {
  std::array<std::uint64_t, schema::tables.size()> rows{};
  std::uint64_t wall_ns = 0;  // of the slowest process
  std::array<std::uint64_t, dropped::names.size()> dropped{};
  std::array<std::uint64_t, dropped::folded_names.size()> folded{};

  void add(RunSummary const& other);
};

// snapshot: its number in the run, from 1; 0: the profile of the whole run.
void write_run_json(TextWriter& out, RunFacts const& facts, RunSummary const& total, clock::Rate rate, unsigned snapshot = 0);

}  // namespace commprof
