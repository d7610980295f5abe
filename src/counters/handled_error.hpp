// An error of a call, as an error handler of the program was told: see wrappers/error_handlers.hpp.
#pragma once

#include "base/clock.hpp"

namespace commprof {

struct HandledError {
  int code = 0;  // 0: none
  int left = 0;  // what the handler has made of it
  Ticks at{};
  // The stack frames of the profiler's functions in the call, the innermost and the outermost.
  void const* from = nullptr;
  void const* to = nullptr;
};

}  // namespace commprof
