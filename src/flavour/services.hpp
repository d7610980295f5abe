// The interface between the front and a flavour. A flavour that is linked statically into a program has no front.
#pragma once

#include <atomic>
#include <string_view>

#include "base/message.hpp"

namespace commprof::front {

// A definition that a wrapper forwards to.
struct NextDefinition {
  char const* symbol;
  void* address;  // nullptr: not looked up yet
  // The name under which an MPI has it whose mpi_f08 passes buffers as descriptors; nullptr: none.
  char const* symbol_with_descriptors;
  bool has_descriptors;  // the address is that of this name

  bool has(std::string_view name) const {
    return name == symbol || (symbol_with_descriptors != nullptr && name == symbol_with_descriptors);
  }
};

struct Services {
  // Finds the definition of a symbol to which a wrapper forwards calls: a tool's, or the MPI's, wherever that is
  // loaded. For a symbol that the front does not have, the definition that programs find without the profiler.
  void* (*find_behind)(char const* symbol);
  // The address of a variable as the MPI's own libraries see it; nullptr if they do not import it.
  void* (*find_as_mpi_does)(char const* symbol);
  // The system's dlsym(), without the front's inspection. handle: neither RTLD_NEXT nor RTLD_DEFAULT.
  void* (*find_in)(void* handle, char const* symbol);
  // Calls visit(context, name) for each function of MPI that objects of the process import and the flavour does not
  // see: the MPI's functions of C for which is_known(name) is false; with a flavour that has no wrappers of Fortran,
  // functions of Fortran that lead to the MPI past it.
  void (*for_each_unknown_import)(bool (*is_known)(char const* name), void (*visit)(void* context, char const* name),
                                  void* context);
  // The state of the process when the front was loaded.
  AtLoad const* at_load;
  // The flavour sets it when a run has begun or the user wants no profile; either way, calls reach the flavour.
  bool has_begun = false;
  // From now on, the program's and the MPI's calls of UCX lead to the flavour, which forwards them.
  void (*observe_transport)() = nullptr;
  // The flavour sets them when it is attached: the definitions that its wrappers forward to, for the front to fill in.
  NextDefinition *first_next = nullptr, *end_of_next = nullptr;
  // The flavour sets it if it keeps addresses of code. The front calls it when libraries have been unloaded.
  std::atomic<void (*)()> forget_code{nullptr};
};

// The function that the front calls first in a flavour. The services it passes stay valid.
inline constexpr char attach_symbol[] = "commprof_flavour_attach";
using Attach = void (*)(Services* services);

}  // namespace commprof::front
