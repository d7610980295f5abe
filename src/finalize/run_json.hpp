// Writes run.json: the facts of the whole run.
#pragma once

#include "base/clock.hpp"
#include "base/process.hpp"
#include "finalize/own_rows.hpp"
#include "profile/profile.hpp"
#include "time_windows/time_windows.hpp"

namespace commprof {

// snapshot: its number in the run, from 1; 0: the profile of the whole run. detailed: the ranks with rows of their own;
// nullptr: all. windows: those in when.csv.
void write_run_json(TextWriter& out, RunFacts const& facts, RunSummary const& total, clock::Rate rate,
                    unsigned snapshot = 0, DetailedRanks const* detailed = nullptr, WindowSpan const& windows = {});

}  // namespace commprof
