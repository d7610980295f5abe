// The tables of a profile by number.
#pragma once

#include <cstddef>

#include "profile/schema.hpp"

namespace commprof {

// In the order of schema::tables.
enum class File : int {
  operations,
  communicators,
  ranks,
  regions,
  peers,
  sites,
  modules,
  waits,
  waits_by_rank,
  summary,
  count_
};
static_assert(static_cast<std::size_t>(File::count_) == schema::tables.size());

}  // namespace commprof
