// Adds up the windows of time of neighbouring ranks, up the tree within their group.
#pragma once

#include "finalize/channel.hpp"
#include "finalize/own_rows.hpp"
#include "profile/profile.hpp"
#include "time_windows/own_time_windows.hpp"

namespace commprof {

// Collective over the processes of the channel. The first rank of a group of so many gets the rows of the group. False
// if a message or memory is missing.
bool exchange_windows(OwnTimeWindows const& own, WindowSpan const& span, int group, RowContext const& context,
                      Channel const& channel, OwnRows& rows);

}  // namespace commprof
