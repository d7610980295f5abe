// Identifies the world that spawned this one. The spawning process sets a variable in the environment of the new
// processes. It cannot send a message: without the profiler, the new processes would never receive it.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/run_facts.hpp"

namespace commprof {

// The value of COMMPROF_PARENT: HOST PID RANK COMMUNICATOR PROGRAM.
struct ParentWorld {
  std::string_view host;  // of the process that spawned, as in ranks.csv of its profile
  long pid = 0;
  int rank = 0;
  std::string_view comm;  // name, in that profile, of the communicator between the two worlds
  std::string_view program;
};

// Writes the setting for processes that this one is about to spawn. Empty if it does not fit.
void write_parent_setting(RunFacts const& facts, std::string_view comm, char* text, std::size_t capacity);
template <std::size_t n>
void write_parent_setting(RunFacts const& facts, std::string_view comm, char (&text)[n]) {
  write_parent_setting(facts, comm, text, n);
}

// False if the value is missing or malformed.
bool read_parent_setting(char const* value, ParentWorld& parent);

}  // namespace commprof
