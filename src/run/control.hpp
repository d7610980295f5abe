// What the program tells the profiler while it runs: to pause and resume, where named regions begin and end, and that
// it wants a profile of what there is so far. Nothing happens unless a profile has begun. Safe to call from any thread;
// pauses and regions are those of the process.
#pragma once

#include <string_view>

#include "options/options.hpp"

namespace commprof::control {

// What a level of MPI_Pcontrol asks for.
enum class Wish : std::uint8_t { nothing, pause, resume, flush, begin_region, end_region };
struct Level {
  Wish wish;
  bool has_name;  // an argument follows: no other level has one to be read
};
Level meaning_of(int level, Pcontrol convention);
// In the convention that is in force.
Level meaning_of(int level);

// name: nullptr where the level has none.
void obey(Wish wish, char const* name);

// Of a name, no more is read than can be shown.
void begin_region(char const* name);
// nullptr: whichever is the innermost one.
void end_region(char const* name);

}  // namespace commprof::control
