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

// A place in the program's code where MPI is called.
enum class SiteIndex : std::uint16_t { none = 0 };

// A region with a site in it, or without one. main: no named region, no site.
enum class ScopeIndex : std::uint16_t { main = 0 };
inline constexpr auto no_scope = static_cast<ScopeIndex>(UINT16_MAX);  // of what is not to be counted
inline constexpr std::uint32_t most_scopes = UINT16_MAX - 1;           // besides main
inline constexpr std::uint32_t most_regions = most_scopes;             // besides main; each has a scope

// The class of message sizes in a record: 0 for no bytes, else one more than the exponent of the largest power of two
// in it.
enum class SizeBin : std::uint8_t {};

}  // namespace commprof
