// The facts of the whole run: run.json.
#pragma once

#include "finalize/run_facts.hpp"
#include "finalize/run_summary.hpp"
#include "finalize/text_writer.hpp"
#include "profile/clock.hpp"

namespace commprof {

// snapshot: its number in the run, from 1; 0: the profile of the whole run.
void write_run_json(TextWriter& out, RunFacts const& facts, RunSummary const& total, clock::Rate rate, unsigned snapshot = 0);

}  // namespace commprof
