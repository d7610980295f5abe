// The world that spawned this one. The spawning process sets a variable in the environment of the new processes. A
// message would not do: without the profiler, the other side would never receive it.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/run_facts.hpp"

namespace commprof {

// COMMPROF_PARENT=HOST PID RANK COMMUNICATOR PROGRAM
struct ParentWorld {
  std::string_view host;  // of the process that spawned, as in ranks.csv of its profile
  long pid = 0;
  int rank = 0;
  std::string_view comm;  // the name there of the communicator between the two worlds
  std::string_view program;
};

// Writes the setting for processes that this one is about to spawn. Empty if it does not fit.
void write_parent_setting(RunFacts const& facts, std::string_view comm, char* text, std::size_t capacity);
template <std::size_t n>
void write_parent_setting(RunFacts const& facts, std::string_view comm, char (&text)[n]) {
  write_parent_setting(facts, comm, text, n);
}

// False if the environment does not tell, or not in this form.
bool read_parent_setting(char const* value, ParentWorld& parent);

}  // namespace commprof
