// Typed indices: what could be mixed up has a type of its own.
#pragma once

#include <cstdint>

namespace commprof {

// A communicator's record in the registry; all communicators folded into one record share it.
enum class CommIndex : std::uint32_t { world = 0, self = 1, unknown = UINT32_MAX };

// An operation, in the order of the call table; its enumerators are generated.
enum class Op : std::uint16_t;

// A named part of the program's run.
enum class RegionIndex : std::uint16_t { main = 0 };
inline constexpr std::uint32_t most_regions = UINT16_MAX - 1;  // besides main; one index stands for the pause

// The class of message sizes in a record: 0 for no bytes, else one more than the exponent of the largest power of two
// in it.
enum class SizeBin : std::uint8_t {};

}  // namespace commprof
