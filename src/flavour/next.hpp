// The definitions to which wrappers forward the program's calls. They are in one section of the flavour, where the
// front finds them and stores the addresses of tools that define functions of MPI behind the profiler.
//
// The profiler's own calls use PMPI_, and bypass tools.
#pragma once

#define COMMPROF_NEXT_SECTION [[gnu::section("commprof_next")]]

namespace commprof {

// A C function; initially the MPI's. The build's next.hpp declares one for each wrapper: next::MPI_Send. It has the
// layout of front::NextDefinition.
template <class Function>
struct Next {
  char const* symbol;
  Function* function;
  char const* symbol_with_descriptors = nullptr;
  bool has_descriptors = false;
  [[gnu::always_inline]] operator Function*() const { return function; }
};

}  // namespace commprof
