#include "profile/window_rows.hpp"

#include <algorithm>
#include <cstdio>

#include "profile/csv_row.hpp"
#include "profile/schema.hpp"

namespace commprof {

std::uint64_t write_window_rows(WindowSpan const& span, int first, int last, SummedWindows const& sums,
                                TextWriter& out) {
  char ranks[32];
  int const length = first == last ? std::snprintf(ranks, sizeof ranks, "%d", first)
                                   : std::snprintf(ranks, sizeof ranks, "%d-%d", first, last);
  std::uint64_t rows = 0, number = span.begin >> span.shift;
  for (WindowAmounts const& window : sums.all()) {
    Position const begin = std::clamp(number << span.shift, span.begin, span.end);
    Position const end = std::clamp((number + 1) << span.shift, span.begin, span.end);
    for (std::size_t kind = 0; kind < call_kinds; ++kind) {
      WindowAmount const& amount = window[kind];
      if ((amount.calls | amount.bytes | amount.time) == 0) continue;
      write_row<schema::when_columns>(out, cell<"rank">(std::string_view(ranks, static_cast<std::size_t>(length))),
                                      cell<"begin_s">(Nanoseconds{span.to_ns(begin - span.begin)}),
                                      cell<"end_s">(Nanoseconds{span.to_ns(end - span.begin)}),
                                      cell<"kind">(call_kind_names[kind]), cell<"calls">(amount.calls),
                                      cell<"bytes">(amount.bytes), cell<"mpi_s">(Nanoseconds{amount.time}));
      ++rows;
    }
    ++number;
  }
  return rows;
}

}  // namespace commprof
