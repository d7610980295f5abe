// Writes when.csv: what neighbouring ranks did in each window of time.
#pragma once

#include <cstdint>

#include "profile/text_writer.hpp"
#include "time_windows/own_time_windows.hpp"

namespace commprof {

// Writes the rows of the ranks from first to last, and returns their number.
std::uint64_t write_window_rows(WindowSpan const& span, int first, int last, SummedWindows const& sums,
                                TextWriter& out);

}  // namespace commprof
