// Typed indices, which cannot be mixed up.
#pragma once

#include <cstdint>

namespace commprof {

// A communicator's record in the registry. All communicators folded into one record share the index.
enum class CommIndex : std::uint32_t { world = 0, self = 1, unknown = UINT32_MAX };

// An operation, in the order of the call table. The enumerators are generated.
enum class Op : std::uint16_t;

// A named part of the program's run.
enum class RegionIndex : std::uint16_t { main = 0 };

// A place in the program's code where MPI is called.
enum class SiteIndex : std::uint16_t { none = 0 };

// A region, with or without a site. main: the program's region without a site.
enum class ScopeIndex : std::uint16_t { main = 0 };
inline constexpr auto no_scope = static_cast<ScopeIndex>(UINT16_MAX);  // for calls that must not be counted
inline constexpr std::uint32_t most_scopes = UINT16_MAX - 1;           // in addition to main
inline constexpr std::uint32_t most_regions = most_scopes;             // in addition to main; each has a scope

// A record's class of message sizes: 0 for zero bytes; otherwise one more than the exponent of the largest power of two
// that is not above the size.
enum class SizeBin : std::uint8_t {};
inline constexpr auto no_size = static_cast<SizeBin>(UINT8_MAX);  // unknown

}  // namespace commprof
