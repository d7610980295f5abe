// What each process adds to the facts of the whole run.
#pragma once

#include <array>
#include <cstdint>

#include "base/dropped.hpp"
#include "profile/schema.hpp"

namespace commprof {

// Sent as raw bytes, so it holds numbers only.
struct RunSummary {
  std::array<std::uint64_t, schema::tables.size()> rows{};
  std::uint64_t wall_ns = 0;  // of the slowest process
  std::array<std::uint64_t, dropped::names.size()> dropped{};
  std::array<std::uint64_t, dropped::folded_names.size()> folded{};

  void add(RunSummary const& other);
};

}  // namespace commprof
