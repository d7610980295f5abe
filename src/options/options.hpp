// The options of a run: one environment variable each, all in one table. The table is what is parsed, written to
// run.json and checked against docs/options.md.
#pragma once

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "base/clock.hpp"

namespace commprof {

inline constexpr char default_output[] = "commprof-%x-%j";

// The option that names the file of defaults, which cannot be in that file.
inline constexpr std::string_view config_variable = "COMMPROF_CONFIG";

// Not an option: the profiler sets it for the processes that a profiled program spawns.
inline constexpr std::string_view parent_variable = "COMMPROF_PARENT";

// What MPI_Pcontrol's levels mean: COMMPROF_PAUSE and those beside it, or IPM's where the two differ.
enum class Pcontrol : std::uint8_t { standard, ipm };

// Whether a profile has the rows of all ranks, or sums and the rows of some: COMMPROF_DETAIL.
enum class Detail : std::uint8_t { ranks, summary, automatic };
inline constexpr int most_ranks_in_detail = 16384;  // by `automatic`

// Their defaults are in the table: see default_options().
struct Options {
  char const* config;           // COMMPROF_CONFIG; nullptr: none
  bool enable;                  // COMMPROF_ENABLE
  char const* apps;             // COMMPROF_APPS: a list, see selection.hpp
  char const* output;           // COMMPROF_OUTPUT; nullptr: the default name
  bool is_output_of_file;       // from COMMPROF_CONFIG: then there is no other place
  std::uint64_t max_size;       // COMMPROF_MAX_SIZE: bytes of a profile; 0: any number
  std::uint32_t min_time;       // COMMPROF_MIN_TIME: seconds of a run that is kept
  std::uint32_t min_mpi;        // COMMPROF_MIN_MPI: percent of the time of all processes, of a run that is kept
  bool spool;                   // COMMPROF_SPOOL: whether there is one at all,
  char const* spool_directory;  // and where; nullptr: in the directory of the profile
  char const* index;            // COMMPROF_INDEX; nullptr: none
  int verbose;                  // COMMPROF_VERBOSE
  std::uint32_t max_comms;      // COMMPROF_MAX_COMMS
  std::uint32_t max_regions;    // COMMPROF_MAX_REGIONS
  bool sites;                   // COMMPROF_SITES
  std::uint32_t max_sites;      // COMMPROF_MAX_SITES
  std::uint32_t stack;          // COMMPROF_STACK
  clock::Source clock;          // COMMPROF_CLOCK
  char const* ops;              // COMMPROF_OPS
  char const* comms;            // COMMPROF_COMMS: both lists, see selection.hpp
  Detail detail;                // COMMPROF_DETAIL
  bool peers;                   // COMMPROF_PEERS
  bool waits;                   // COMMPROF_WAITS
  bool internal;                // COMMPROF_INTERNAL; mpi_messages::begin() clears it where there is nothing to count
  Pcontrol pcontrol;            // COMMPROF_PCONTROL
};

inline constexpr std::uint32_t max_stack = 16;  // callers

struct OptionRow {
  std::string_view name;
  char const* default_value;
  std::string_view expects;  // completes the sentence "NAME must be …"
  bool (*parse)(char const* value, Options& options);
};

inline constexpr std::size_t option_count = 23;
extern std::array<OptionRow, option_count> const option_table;

// What the names of all options begin with.
inline constexpr std::string_view option_prefix = "COMMPROF_";
Options default_options();

// Whether a text can be the path of a profile's directory, as COMMPROF_OUTPUT has it.
bool is_output_path(char const* text);
inline constexpr std::string_view output_path_expects =
    "the path of a directory, in which % is followed by x, j, a, u, d, p, h, n or %";

// What was wrong with an option.
struct Mistake {
  OptionRow const* row;   // whose default holds; nullptr: there is no option of this name
  std::string_view text;  // the value, or the name
  bool is_in_file;        // of COMMPROF_CONFIG; else in the environment
};

// The options of the environment, and of the file of defaults. Their texts are copied into storage of the profiler's
// own, since the program may change its environment later: with setenv(), or by writing to what it gave to putenv().
class Settings {
 public:
  // A value of more bytes is refused: it could not be a path either.
  static constexpr std::size_t max_bytes = PATH_MAX - 1;

  // Reads the environment. Does nothing once what was read has been kept.
  void read();

  // Reads the environment if nobody has, and keeps what was read for the rest of the process.
  void keep();

  // Pointers in it remain valid; what they point to remains the same once it is kept.
  Options const& options() const { return options_; }

  // The text of an option as it holds: the variable's if that was understood, else the default.
  std::string_view in_force(OptionRow const& row) const;

  // Calls complain() for each value that was refused and each name beginning with COMMPROF_ that is no option, or none
  // that a file can set.
  void tell_mistakes(void (*complain)(Mistake const& mistake)) const;

  // Why the file of defaults could not be read, as errno has it; 0 if it was, or if nobody has named one.
  int error_of_file() const { return error_of_file_; }

 private:
  enum class Use : std::uint8_t { absent, in_force, refused };
  struct Value {
    Use use = Use::absent;
    bool is_in_file = false;
    char text[max_bytes + 1] = "";
  };

  // Names that are none of ours, each with its end; those without room are left out.
  struct Names {
    char text[1024] = "";
    std::size_t length = 0;
    void add(std::string_view name);
  };

  void read_now();
  void read_environment();
  void read_file();
  void take(std::string_view name, std::string_view text, bool is_in_file);
  void take(OptionRow const& row, std::string_view text, bool is_in_file);
  void take_of_file(std::string_view name, std::string_view text);

  std::mutex mutex_;  // MPI_T_init_thread and MPI_Init may be called at once
  bool is_read_ = false;
  bool is_kept_ = false;
  Options options_{};
  std::array<Value, option_count> values_;  // in the order of the table
  Names unknown_, unknown_in_file_;
  int error_of_file_ = 0;
};

extern Settings settings;

}  // namespace commprof
