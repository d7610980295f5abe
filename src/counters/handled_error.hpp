// An error that a program's error handler got during a call: see wrappers/error_handlers.hpp.
#pragma once

#include "base/clock.hpp"

namespace commprof {

struct HandledError {
  int code = 0;  // 0: no error
  int left = 0;  // the code as the handler has left it
  Ticks at{};
  // The stack frames of the profiler's functions in the call, the innermost and the outermost.
  void const* from = nullptr;
  void const* to = nullptr;
};

}  // namespace commprof
