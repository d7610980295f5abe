// The kinds of waiting, and their names in a profile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace commprof {

// What calls wait for: the last rank to enter a collective operation, a message that is not sent, a receive that is not
// posted. pending: not calls, but the time from the begin to the completion of the requests that they issue. The part
// of it that is waiting is spent in MPI calls.
enum class WaitKind : std::uint8_t { collective, late_sender, late_receiver, pending };
inline constexpr std::array<std::string_view, 4> wait_kind_names{"collective", "late-sender", "late-receiver",
                                                                 "pending"};
constexpr std::string_view name_of(WaitKind kind) { return wait_kind_names[static_cast<std::size_t>(kind)]; }

}  // namespace commprof
