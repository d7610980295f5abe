// A profile in the formats of other tools, which people have open anyway. A function a format; it knows no other.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "reader/profile_reader.hpp"
#include "table/value.hpp"

namespace mpisee_through {

// Reads the profile to its end. Throws ProfileError.
using WriteExport = void (*)(std::ostream& out, Profile const& profile);

struct ExportFormat {
  std::string_view name, summary;  // for --help
  WriteExport write;
};

// Chrome's trace format, which Perfetto and speedscope open: what ranks did in each window of time, and when they
// changed; of a run that is not finished, also the calls that ranks are in. Microseconds.
void write_perfetto(std::ostream& out, Profile const& profile);
// Where the time in MPI goes, as stacks of regions, callers and MPI calls; waiting is below the call. Seconds.
void write_speedscope(std::ostream& out, Profile const& profile);
// A line for each stack of all ranks: "main;solve;MPI_Send 123", in microseconds.
void write_collapsed(std::ostream& out, Profile const& profile);
// Prometheus' text format, which the text file collector of node_exporter reads. Seconds, bytes and ratios.
void write_openmetrics(std::ostream& out, Profile const& profile);

inline constexpr ExportFormat export_formats[] = {
    {"perfetto", "a timeline for ui.perfetto.dev, chrome://tracing and speedscope", write_perfetto},
    {"speedscope", "a flame graph for speedscope, of all ranks and of those that differ most", write_speedscope},
    {"collapsed", "the same of all ranks, a line a stack, for flamegraph.pl", write_collapsed},
    {"openmetrics", "numbers for Prometheus, by node_exporter's text file collector", write_openmetrics},
};

// Writes a profile into a file, wholly or not at all; compressed if the file's name ends in .gz. Throws OutputError,
// too.
void export_to(std::string const& file, WriteExport write, Profile const& profile);

}  // namespace mpisee_through
