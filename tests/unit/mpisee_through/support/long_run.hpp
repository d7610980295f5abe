// The number of cases a test tries: all if TEST_LONG=1 is in the environment, as in ./test --long; otherwise a sample.
#pragma once

#include <cstdlib>
#include <string_view>

inline bool is_long_run() {
  char const* const value = std::getenv("TEST_LONG");
  return value != nullptr && std::string_view(value) == "1";
}
