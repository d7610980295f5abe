// The program's commands to the profiler: pause, resume, begin and end of a named region, snapshot. Before the profile
// has begun and after it has ended, they do nothing. Any thread may call them; pauses and regions apply to the whole
// process.
#pragma once

#include <string_view>

#include "options/options.hpp"

namespace commprof::control {

// The meaning of a level of MPI_Pcontrol.
enum class Wish : std::uint8_t { nothing, pause, resume, flush, begin_region, end_region };
struct Level {
  Wish wish;
  bool has_name;  // whether a name follows the level; otherwise no further argument may be read
};
Level meaning_of(int level, Pcontrol convention);
// The meaning of a level, by the convention that COMMPROF_PCONTROL chooses.
Level meaning_of(int level);

// name: nullptr if the level has none.
void obey(Wish wish, char const* name);

// Uses only the part of the name that a profile shows.
void begin_region(char const* name);
// name: nullptr ends the innermost region.
void end_region(char const* name);

}  // namespace commprof::control
