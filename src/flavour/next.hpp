// The definitions that the wrappers forward the program's calls to. They lie in one section of the flavour, where the
// front finds them: it stores the addresses of tools that define functions of MPI, too, and come after the profiler.
//
// The profiler's own calls of MPI use PMPI_ and reach no tool.
#pragma once

#define COMMPROF_NEXT_SECTION [[gnu::section("commprof_next")]]

namespace commprof {

// A function of C, at first the MPI's. next.hpp of the build declares one for each wrapper: next::MPI_Send.
// Laid out as front::NextDefinition.
template <class Function>
struct Next {
  char const* symbol;
  Function* function;
  [[gnu::always_inline]] operator Function*() const { return function; }
};

}  // namespace commprof
