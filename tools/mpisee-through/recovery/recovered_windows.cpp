#include "recovery/recovered_windows.hpp"

#include <algorithm>

namespace mpisee_through {

using namespace commprof;

void take_windows(OwnTimeWindows& windows, SpoolFile const& file, Ticks end) {
  WindowAmounts sums{};
  for (Record const& record : MergedRecords(file.records))
    if (!record.key.is_unfinished()) add_record(sums, record);
  if (file.time_windows() == nullptr) return;
  windows.take(*file.time_windows(), sums, file.owner.start, end, file.first, file.rate);
  for (CurrentCall const& call : file.current_calls)
    if (call.op != 0 && call.op <= static_cast<std::uint32_t>(Op::count_) && call.since < end)
      windows.add_unfinished(kind_of(static_cast<Op>(call.op - 1)), call.since, end, file.first);
}

void RecoveredWindows::note(SpoolFile const& file, Ticks end) {
  ends_[file.owner.rank] = end;
  OwnTimeWindows own;
  take_windows(own, file, end);
  span_.merge(own.span());
}

std::uint64_t RecoveredWindows::add(SpoolFile const& file, TextWriter& out) {
  std::uint64_t rows = 0;
  if (group_ == 0) {
    if (!span_.is_of_one_clock()) span_ = {};
    span_.widen();
    group_ = ranks_of_windows(file.owner.ranks, false);
  }
  if (span_.is_known == 0) return 0;
  int const first = file.owner.rank - file.owner.rank % group_;
  if (first != first_) {
    rows = finish(out);
    first_ = first;
    sums_.begin(span_);
  }
  last_ = std::min(first + group_, file.owner.ranks) - 1;
  OwnTimeWindows own;
  take_windows(own, file, ends_[file.owner.rank]);
  sums_.add(own);
  return rows;
}

std::uint64_t RecoveredWindows::finish(TextWriter& out) {
  if (first_ < 0) return 0;
  std::uint64_t const rows = write_window_rows(span_, first_, last_, sums_, out);
  first_ = -1;
  return rows;
}

}  // namespace mpisee_through
