// What the front and a flavour know of each other.
//
// The front, libcommprof.so, is what a program preloads or links: it has the entry points of all MPIs and nothing else.
// The first call of MPI in a process tells it which MPI the program uses, and it opens the flavour, the profiler
// proper, that was built for the ABI of that MPI. A flavour that is linked statically into a program has no front.
#pragma once

#include <atomic>

#include "base/at_load.hpp"

namespace commprof::front {

// A definition that a wrapper forwards to.
struct NextDefinition {
  char const* symbol;
  void* address;  // nullptr: to be looked up
};

struct Services {
  // The definition of a symbol that comes after the front's: what the program would have called without the profiler.
  // Also where the MPI was loaded out of sight of the program, for some module alone: Python does so.
  void* (*find_behind)(char const* symbol);
  // The address of a variable as the MPI's own libraries know it; nullptr if they take it from no other object.
  void* (*find_as_mpi_does)(char const* symbol);
  // dlsym() of the system, without the front's look at what is looked up. handle: none of RTLD_NEXT and RTLD_DEFAULT.
  void* (*find_in)(void* handle, char const* symbol);
  // Calls visit(context, name) for each function of MPI that objects of the process import and that goes past the
  // flavour: the flavour has no wrapper for it, and is_known(name) is false.
  void (*for_each_unknown_import)(bool (*is_known)(char const* name), void (*visit)(void* context, char const* name),
                                  void* context);
  // Calls visit(context, name, is_seen) for each function of MPI whose definition that the program calls is not the
  // MPI's: a tool's or a stand-in's, or the program's own. is_seen: the calls come through the flavour all the same.
  void (*for_each_defined_elsewhere)(void (*visit)(void* context, char const* name, bool is_seen), void* context);
  // What the process had when the front was loaded.
  AtLoad const* at_load;
  // Set by the flavour once a run has begun, or the user wants none: then calls do come by.
  bool has_begun;
  // Set by the flavour when it is attached: all definitions that its wrappers forward to, for the front to fill in.
  NextDefinition *first_next, *end_of_next;
  // Set by the flavour if it keeps addresses of code: called before and after a library is unloaded.
  std::atomic<void (*)()> forget_code;
};

// The function of a flavour that the front calls first, by this name, with services that stay.
inline constexpr char attach_symbol[] = "commprof_flavour_attach";
using Attach = void (*)(Services* services);

}  // namespace commprof::front
