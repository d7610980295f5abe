#include "recovery/joined.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "ops.hpp"
#include "profile/profile.hpp"

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

void RecoveredMessageWaits::take(SpoolFile& file) {
  if (!file.messages || processes_.contains(file.owner.rank)) return;
  auto process = std::make_unique<Process>();
  process->waits = std::move(file.messages);
  process->waits->order_by_first_host();
  process->own.begin(*process->waits, file.owner.rank, file.rate);
  take_communicators(process->own, file.registry, file.owner.rank);
  process->own.count(MergedRecords(file.records), file.sites);
  processes_.emplace(file.owner.rank, std::move(process));
}

void RecoveredMessageWaits::join() {
  for (auto const& [rank, process] : processes_) process->own.ask();
  share_meetings();
  for (auto const& [rank, process] : processes_) process->own.answer_meetings();
  share_meetings();
  for (auto const& [rank, process] : processes_) process->own.take_meetings();
  for (auto const& [rank, process] : processes_) ask(*process);
  follow_chains();
  for (auto const& [rank, process] : processes_) process->own.finish();
  blame();
  merge_rows();
}

void RecoveredMessageWaits::ask(Process& process) const {
  for (OwnMessageWaits::ToAsk const& asked : process.own.questions()) {
    auto const other = processes_.find(asked.to);
    process.own.take(asked, other == processes_.end() ? MessageAnswer{} : other->second->own.answer(asked.question));
  }
}

// A process whose file is missing answers nothing: chains to it end there, and nobody knows how.
void RecoveredMessageWaits::follow_chains() {
  auto const own_of = [this](std::int32_t rank) {
    auto const found = processes_.find(rank);
    return found == processes_.end() ? nullptr : &found->second->own;
  };
  unsigned const level = processes_.empty() ? 0 : Causes::level_for(processes_.rbegin()->first + 1);
  for (auto const& [rank, process] : processes_) process->own.find_waits();
  for (auto const& [rank, process] : processes_)
    process->own.causes().judge([&](std::int32_t whom) {
      OwnMessageWaits* const own = own_of(whom);
      return own == nullptr ? 1. : static_cast<double>(own->causes().moving());
    });
  for (auto const& [rank, process] : processes_) {
    Causes& causes = process->own.causes();
    for (Causes::Chain& chain : causes.chain(level))
      while (chain.end == Causes::Chain::open) {
        causes.advance(chain);
        if (chain.end != Causes::Chain::open) break;
        OwnMessageWaits* const own = own_of(chain.whom);
        Causes::follow(chain, own == nullptr ? Causes::Next{.whom = Causes::somebody} : own->causes().next(chain.cell));
      }
  }
}

void RecoveredMessageWaits::blame() {
  for (auto const& [rank, process] : processes_)
    for (OwnMessageWaits::Blame const& blame : process->own.blames())
      if (auto const found = processes_.find(blame.to); found != processes_.end()) found->second->own.take(blame);
  for (auto const& [rank, process] : processes_) process->own.finish_causes();
}

// Adds up what all processes have, in pairs of about equal size.
template <class Joined>
void RecoveredMessageWaits::merge(Joined& all, Joined& (OwnMessageWaits::*own)()) const {
  std::vector<std::unique_ptr<Joined>> waiting;
  for (auto const& [rank, process] : processes_) {
    auto rows = std::make_unique<Joined>();
    rows->most = all.most;
    rows->add((process->own.*own)());
    std::size_t level = 0;
    for (; level < waiting.size() && waiting[level]; ++level) rows->add(*std::exchange(waiting[level], nullptr));
    if (level == waiting.size()) waiting.emplace_back();
    waiting[level] = std::move(rows);
  }
  for (auto const& rows : waiting)
    if (rows) all.add(*rows);
}

// Each process gets the meetings of its communicators.
void RecoveredMessageWaits::share_meetings() {
  Meetings all;
  all.most = std::size_t{1} << 20;  // here they are in no message
  merge(all, &OwnMessageWaits::meetings);
  for (auto const& [rank, process] : processes_) {
    Meetings& wanted = process->own.meetings();
    Meetings own;
    own.most = all.most;
    all.select(own, [&](MessageHead const& head) { return wanted.wants(head); });
    wanted.swap(own);
  }
}

// The rows of a communicator go to the process that writes them, or else to its first one.
void RecoveredMessageWaits::merge_rows() {
  std::map<MessageComm, std::int32_t> writers;
  for (auto const& [rank, process] : processes_)
    for (MessageHead const& head : process->own.rows().heads) {
      auto const [writer, is_first] = writers.try_emplace(head.comm, rank);
      if (head.is_wanted != 0) writer->second = rank;
    }
  MessageRows all;
  merge<MessageRows>(all, &OwnMessageWaits::rows);
  for (auto const& [rank, process] : processes_) {
    MessageRows own;
    all.select(own, [&, of = rank](MessageHead const& head) { return writers.at(head.comm) == of; });
    process->own.rows().swap(own);
  }
}

std::vector<MessageWaitSum> RecoveredMessageWaits::sums(std::span<std::string const> communicators) const {
  std::map<MessageComm, std::string const*> names;
  for (std::string const& name : communicators) names.emplace(MessageComm::of(name), &name);
  std::map<std::tuple<MessageComm, Op, WaitKind>, MessageRow> rows;
  for (auto const& [rank, process] : processes_)
    for (MessageRow const& row : process->own.rows().rows) {
      if (row.kind == WaitKind::pending || !names.contains(row.comm)) continue;
      auto const [sum, is_new] = rows.try_emplace({row.comm, row.op, row.kind}, row);
      if (!is_new) sum->second += row;
    }
  std::vector<MessageWaitSum> sums;
  for (auto const& [key, row] : rows) {
    if (row.known <= 0 || row.concerned <= 0) continue;
    double const time_s = static_cast<double>(row.time_ns) * 1e-9;
    MessageWaitSum& sum = sums.emplace_back();
    sum.communicator = *names.at(row.comm);
    sum.operation = op_name(row.op);
    sum.kind = row.kind;
    sum.instants = row.instants;
    sum.time_s = time_s;
    sum.wait_s = row.wait_ns * 1e-9;
    sum.error_s = row.wait_error_ns() * 1e-9;
    sum.unknown_share = row.unknown / (row.known + row.unknown);
    if (row.cause.ones[0].rank < 0 || row.caused <= 0) continue;
    sum.caused_by = row.cause.ones[0].rank;
    sum.caused_share = row.cause.ones[0].weight / row.of_chains();
  }
  std::ranges::stable_sort(sums, std::ranges::greater{}, &MessageWaitSum::wait_s);
  return sums;
}

OwnMessageWaits const& RecoveredMessageWaits::of(std::int32_t rank) const {
  static OwnMessageWaits const nothing;
  auto const found = processes_.find(rank);
  return found == processes_.end() ? nothing : found->second->own;
}

}  // namespace mpisee_through
