// The program's commands to the profiler: pause and resume, begin and end of a named region, and a snapshot. They do
// nothing before the profile has begun and after it has ended. Safe to call from any thread; pauses and regions concern
// the whole process.
#pragma once

#include <string_view>

#include "options/options.hpp"

namespace commprof::control {

// The meaning of a level of MPI_Pcontrol.
enum class Wish : std::uint8_t { nothing, pause, resume, flush, begin_region, end_region };
struct Level {
  Wish wish;
  bool has_name;  // a name follows the level. No further argument may be read otherwise
};
Level meaning_of(int level, Pcontrol convention);
// By the convention of the option for MPI_Pcontrol.
Level meaning_of(int level);

// name: nullptr where the level has none.
void obey(Wish wish, char const* name);

// Reads no more of the name than a profile shows.
void begin_region(char const* name);
// nullptr: whichever is the innermost one.
void end_region(char const* name);

}  // namespace commprof::control
