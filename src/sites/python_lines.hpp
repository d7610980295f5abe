// Finds the lines of Python that led to a call.
//
// A Python program calls MPI through an extension module, whose own address says little. So the interpreter of the
// process is asked for the lines, by functions that every CPython since 3.10 exports; the build needs no header or
// library of Python. Asking needs the GIL, which mpi4py and ctypes have released. If another Python thread could hold
// the GIL and wait for this very call, nothing is asked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "options/options.hpp"

namespace commprof::python {

// Options::stack in a process of Python without COMMPROF_STACK: a site is a line of Python, or has no callers.
inline constexpr std::uint32_t line_alone = max_stack + 1;

// Whether the process runs an interpreter that can tell lines.
bool is_running();

// The current line of Python in this thread, with those of its callers, at most `most` in all. SiteIndex::none: outside
// Python, or if the interpreter must not be asked.
SiteIndex site_of_call(std::size_t most);

}  // namespace commprof::python
