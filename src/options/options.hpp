// The options of a run, each an environment variable, in one table. The table is parsed, written to run.json, and
// checked against docs/options.md.
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

// COMMPROF_DETAIL: whether a profile has the rows of all ranks, or sums and the rows of a few ranks.
enum class Detail : std::uint8_t { ranks, summary, automatic };
inline constexpr int most_ranks_in_detail = 16384;  // limit of `automatic`

// Values of all options. The table has the defaults: see default_options().
struct Options {
  bool enable;                // COMMPROF_ENABLE
  char const* apps;           // COMMPROF_APPS: see is_wanted_program()
  char const* output;         // COMMPROF_OUTPUT; nullptr: the default name
  std::uint64_t max_size;     // COMMPROF_MAX_SIZE: bytes of a profile; 0: unlimited
  std::uint32_t min_time;     // COMMPROF_MIN_TIME: shorter runs are not kept; seconds
  std::uint32_t min_mpi;      // COMMPROF_MIN_MPI: runs with less MPI are not kept; percent of all processes' time
  bool spool;                 // COMMPROF_SPOOL
  char const* index;          // COMMPROF_INDEX; nullptr: none
  int verbose;                // COMMPROF_VERBOSE
  std::uint32_t max_comms;    // COMMPROF_MAX_COMMS
  std::uint32_t max_regions;  // COMMPROF_MAX_REGIONS
  bool sites;                 // COMMPROF_SITES
  std::uint32_t max_sites;    // COMMPROF_MAX_SITES
  std::uint32_t stack;        // COMMPROF_STACK
  clock::Source clock;        // COMMPROF_CLOCK
  Detail detail;              // COMMPROF_DETAIL
  bool peers;                 // COMMPROF_PEERS
  bool waits;                 // COMMPROF_WAITS
  std::uint32_t when;         // COMMPROF_WHEN: the most windows of time; 0: none
  bool internal;              // COMMPROF_INTERNAL; cleared by mpi_messages::begin() if messages are not seen
  bool transport;             // COMMPROF_TRANSPORT; cleared if nothing is seen
};

inline constexpr std::uint32_t max_stack = 16;  // callers

struct OptionRow {
  std::string_view name;
  char const* default_value;
  std::string_view expects;  // completes the sentence "NAME must be …"
  bool (*parse)(char const* value, Options& options);
};

inline constexpr std::size_t option_count = 21;
extern std::array<OptionRow, option_count> const option_table;

// The prefix of all options' names.
inline constexpr std::string_view option_prefix = "COMMPROF_";
Options default_options();

// Whether a text is a valid COMMPROF_OUTPUT: a path of a profile's directory.
bool is_output_path(char const* text);
inline constexpr std::string_view output_path_expects =
    "the path of a directory, in which % is followed by x, j, a, u, d, p, h, n or %";

// Whether a list of COMMPROF_APPS wants a program: globs for its file name, separated by commas. A - in front of one
// excludes what it matches. A list of exclusions alone wants all others.
bool is_wanted_program(std::string_view list, std::string_view program);

// An error in an option.
struct Mistake {
  OptionRow const* row;   // row of the refused option, whose default applies; nullptr: no option has this name
  std::string_view text;  // the refused value, or the unknown name
};

// The options from the environment. Texts are copied, because the program may change its environment later, with
// setenv() or by writing to a string of putenv().
class Settings {
 public:
  // A longer value is refused: it cannot be a path either.
  static constexpr std::size_t max_bytes = PATH_MAX - 1;

  // Reads the environment. Does nothing after keep().
  void read();

  // Reads the environment if that has not been done, and keeps the values for the rest of the process.
  void keep();

  // Pointers in it stay valid; after keep(), the texts do not change.
  Options const& options() const { return options_; }

  // The text of the effective value: the variable's if it was valid, else the default.
  std::string_view in_force(OptionRow const& row) const;

  // Calls complain() for each refused value, and for each unknown name that begins with COMMPROF_.
  void tell_mistakes(void (*complain)(Mistake const& mistake)) const;

 private:
  enum class Use : std::uint8_t { absent, in_force, refused };
  struct Value {
    Use use = Use::absent;
    char text[max_bytes + 1] = "";
  };

  // Unknown names, each ended by a zero. Names without room are left out.
  struct Names {
    char text[1024] = "";
    std::size_t length = 0;
    void add(std::string_view name);
  };

  void read_now();
  void take(std::string_view name, std::string_view text);
  void take(OptionRow const& row, std::string_view text);

  std::mutex mutex_;  // MPI_T_init_thread and MPI_Init may be called at once
  bool is_read_ = false;
  bool is_kept_ = false;
  Options options_{};
  std::array<Value, option_count> values_;  // in the order of the table
  Names unknown_;
};

extern Settings settings;

}  // namespace commprof
