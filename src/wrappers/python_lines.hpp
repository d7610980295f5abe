// Which lines of Python led to a call, with COMMPROF_STACK.
//
// A Python program calls MPI through an extension module, whose own address says little. The lines are asked of the
// interpreter that is loaded, by functions that every CPython since 3.10 exports; no header or library of Python is
// needed. That takes the interpreter's lock (the GIL), which mpi4py and ctypes have released: where another thread of
// Python could hold it and wait for this very call, nothing is asked.
#pragma once

#include <cstddef>

#include "base/ids.hpp"

namespace commprof::python {

// The line that a function of Python is at in this thread, with those that called it, up to so many in all. None:
// outside Python, or where the interpreter must not be asked.
SiteIndex site_of_call(std::size_t most);

}  // namespace commprof::python
