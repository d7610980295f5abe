// The options of a run: one environment variable each, all in one table. The table is what is parsed, written to run.json
// and checked against docs/options.md.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "profile/clock.hpp"

namespace commprof {

inline constexpr char default_output[] = "commprof-%x-%j";

// Not an option: the profiler sets it for the processes that a profiled program spawns.
inline constexpr std::string_view parent_variable = "COMMPROF_PARENT";

// What MPI_Pcontrol's levels mean: COMMPROF_PAUSE and those beside it, or IPM's where the two differ.
enum class Pcontrol : std::uint8_t { standard, ipm };

struct Options {
  bool enable = true;                     // COMMPROF_ENABLE
  char const* output = nullptr;           // COMMPROF_OUTPUT; nullptr: the default name
  bool spool = true;                      // COMMPROF_SPOOL: whether there is one at all,
  char const* spool_directory = nullptr;  // and where; nullptr: in the directory of the profile
  int verbose = 1;                        // COMMPROF_VERBOSE
  std::uint32_t max_comms = 1000;         // COMMPROF_MAX_COMMS
  std::uint32_t max_regions = 10'000;     // COMMPROF_MAX_REGIONS
  clock::Source clock = clock::Source::tsc;  // COMMPROF_CLOCK
  bool peers = true;                      // COMMPROF_PEERS
  bool internal = false;                  // COMMPROF_INTERNAL; begin() of internal.hpp clears it where there is nothing to count
  Pcontrol pcontrol = Pcontrol::standard;    // COMMPROF_PCONTROL
};

struct OptionRow {
  std::string_view name;
  std::string_view default_value;
  std::string_view expects;  // completes the sentence "NAME must be …"
  bool (*parse)(char const* value, Options& options);
};

inline constexpr std::size_t option_count = 10;
extern std::array<OptionRow, option_count> const option_table;

// The text of an option as it holds: from the environment if that can be understood, else the default.
std::string_view value_in_force(OptionRow const& row);

// Whether a text can be the path of a profile's directory, as COMMPROF_OUTPUT has it.
bool is_output_path(char const* text);
inline constexpr std::string_view output_path_expects = "the path of a directory, in which % is followed by x, j, p, h, n or %";

// Reads the environment. Calls complain(row, value) for each value that cannot be understood, whose default then holds, and
// complain(nullptr, name) for each COMMPROF_ variable that is none of ours.
Options read_options(void (*complain)(OptionRow const* row, std::string_view text));

}  // namespace commprof
