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

void RecoveredWindows::note(OwnTimeWindows const& own, std::int32_t rank, Ticks end) {
  ends_[rank] = end;
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

JobWindow& JobWindow::operator+=(JobWindow const& next) {
  end_s = next.end_s;
  mpi_s += next.mpi_s;
  threads_s += next.threads_s;
  calls += next.calls;
  return *this;
}

void JobWindows::take(OwnTimeWindows const& own, SpoolFile const& file) {
  if (!own.is_known()) return;
  Process process{own.span(), own.table().first(), {}, std::max<std::uint64_t>(file.threads_at_once, 1)};
  for (std::uint32_t i = 0; i < own.table().windows(); ++i) {
    WindowAmount all;
    for (WindowAmount const& one : own.table().at(i)) all += one;
    all.time = file.rate.to_ns({all.time});
    process.windows.push_back(all);
  }
  processes_.push_back(std::move(process));
}

std::vector<JobWindow> JobWindows::added_up() const {
  WindowSpan all;
  for (Process const& one : processes_) all.merge(one.span);
  if (!all.is_of_one_clock()) return {};
  all.widen();
  std::uint64_t const first = all.begin >> all.shift;
  auto const seconds = [](Position distance) { return static_cast<double>(distance) * 1e-9; };
  auto const begin_of = [&](std::size_t i) { return std::clamp((first + i) << all.shift, all.begin, all.end); };
  auto const within = [&](std::size_t i, WindowSpan const& span) {
    Position const begin = std::max(begin_of(i), span.begin), end = std::min(begin_of(i + 1), span.end);
    return end > begin ? seconds(end - begin) : 0;
  };
  std::vector<JobWindow> windows(all.size());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    windows[i].begin_s = seconds(begin_of(i) - all.begin);
    windows[i].end_s = seconds(begin_of(i + 1) - all.begin);
  }
  for (Process const& one : processes_) {
    for (std::size_t i = 0; i < one.windows.size(); ++i) {
      std::uint64_t const number = (one.first + i) >> (all.shift - one.span.shift);
      JobWindow& window = windows[std::min<std::uint64_t>(std::max(number, first) - first, windows.size() - 1)];
      window.mpi_s += static_cast<double>(one.windows[i].time) * 1e-9;
      window.calls += one.windows[i].calls;
    }
    for (std::size_t i = 0; i < windows.size(); ++i)
      windows[i].threads_s += static_cast<double>(one.threads) * within(i, one.span);
  }
  return windows;
}

}  // namespace mpisee_through
