// Where a profile goes: patterns for expand_path(), in the order in which they are tried.
#pragma once

#include <array>
#include <cstddef>

#include "options/options.hpp"

namespace commprof {

struct OutputPatterns {
  static constexpr std::size_t most = 3;

  std::array<char const*, most> patterns{};
  std::size_t count = 0;

  char const* const* begin() const { return patterns.data(); }
  char const* const* end() const { return patterns.data() + count; }
};

// The user's pattern, the default one in the start directory, and that in $TMPDIR or /tmp.
OutputPatterns output_patterns(Options const& options);

}  // namespace commprof
