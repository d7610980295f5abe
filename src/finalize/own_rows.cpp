#include "finalize/own_rows.hpp"

#include <algorithm>

#include "base/dropped.hpp"
#include "finalize/exchanges.hpp"

namespace commprof {

RunSummary summary_of(Contents const& contents, OwnPairs const& pairs) {
  RunSummary summary;
  summary.wall_ns = contents.rows.rate.to_ns(contents.rows.wall);
  summary.all_us = summary.wall_ns / 1000;
  summary.mpi_us = contents.rows.rate.to_ns(contents.rows.records.total_time()) / 1000;
  summary.messages = pairs.totals();
  std::copy(dropped::counts->dropped.begin(), dropped::counts->dropped.end(), summary.dropped.begin());
  std::copy(dropped::counts->folded.begin(), dropped::counts->folded.end(), summary.folded.begin());
  summary.dropped[static_cast<std::size_t>(Dropped::requests_unfinished)] += contents.unfinished.count();
  summary.dropped[static_cast<std::size_t>(Dropped::records)] +=
      contents.unfinished.lost_calls() + contents.rows.records.lost();
  summary.dropped[static_cast<std::size_t>(Dropped::messages)] += contents.rows.peers.lost();
  if (contents.rows.waits.is_joined()) {
    summary.dropped[static_cast<std::size_t>(Dropped::communicator_names)] += names_in_doubt(contents.rows);
    count_calls_without_waits(contents.rows, summary);
  }
  return summary;
}

bool OwnRows::has(File file) const {
  if (file == File::communicators) return false;  // these rows are added, once
  return is_detailed_ || file == File::ranks || file == File::waits;
}

void OwnRows::count(bool is_detailed) {
  is_detailed_ = is_detailed;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    files_[i].bytes = 0;
    auto const add = [](void* to, File, std::string_view text) { *static_cast<std::uint64_t*>(to) += text.size(); };
    files_[i].rows = format(static_cast<File>(i), add, &files_[i].bytes);
  }
}

std::uint64_t OwnRows::format(File file, Take take, void* to) const {
  static char buffer[std::size_t{16} * 1024];
  struct Target {
    Take take;
    void* to;
    File file;
  } target{take, to, file};
  auto const put = [](void* self, char const* text, std::size_t length) {
    auto const& of = *static_cast<Target*>(self);
    of.take(of.to, of.file, {text, length});
  };
  std::uint64_t rows = 0;
  for (RowWriter const& writer : row_writers) {
    if (writer.file != file || !has(file)) continue;
    TextWriter out(buffer, sizeof buffer, put, &target);
    rows += writer.write(context_, out);
  }
  return rows;
}

PerFile OwnRows::rows() const {
  PerFile all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = files_[i].rows + files_[i].further_rows;
  return all;
}

PerFile OwnRows::bytes() const {
  PerFile all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = files_[i].bytes + files_[i].further.size();
  return all;
}

void DetailedRanks::add(int rank) {
  if (rank < 0 || count == most || contain(rank)) return;
  ranks[count++] = rank;
  std::sort(ranks, ranks + count);
}

void Candidates::Extremes::take(Value value) {
  auto const is_earlier = [&](Value const& known) { return known.rank < 0 || value.rank < known.rank; };
  if (value.rank < 0) return;
  if (least.rank < 0 || value.value < least.value || (value.value == least.value && is_earlier(least))) least = value;
  if (most.rank < 0 || value.value > most.value || (value.value == most.value && is_earlier(most))) most = value;
}

void Candidates::take_sender(Value bytes) {
  if (bytes.value == 0) return;
  if (sender_count_ == most_senders && bytes.value <= senders_[most_senders - 1].value) return;
  if (sender_count_ < most_senders) ++sender_count_;
  auto const is_before = [&](Value const& other) {
    return bytes.value > other.value || (bytes.value == other.value && bytes.rank < other.rank);
  };
  int place = sender_count_ - 1;
  for (; place > 0 && is_before(senders_[place - 1]); --place) senders_[place] = senders_[place - 1];
  senders_[place] = bytes;
}

void Candidates::take(RowContext const& context, std::uint64_t most_bytes) {
  std::int32_t const rank = context.facts.rank;
  std::uint64_t const wall = context.rate.to_ns(context.wall), mpi = context.rate.to_ns(context.records.total_time());
  wall_.take({wall, rank});
  mpi_.take({mpi, rank});
  outside_.take({wall - std::min(wall, mpi), rank});
  caused_.take({context.waits.caused_ns(), rank});
  take_sender({most_bytes, rank});
}

void Candidates::merge(Candidates const& others) {
  for (auto const extremes : {&Candidates::wall_, &Candidates::mpi_, &Candidates::outside_, &Candidates::caused_}) {
    (this->*extremes).take((others.*extremes).least);
    (this->*extremes).take((others.*extremes).most);
  }
  for (int i = 0; i < others.sender_count_; ++i) take_sender(others.senders_[i]);
}

void Candidates::choose(Sums const& sums, int ranks, DetailedRanks& chosen) const {
  for (Extremes const& extremes : {wall_, mpi_, outside_, caused_}) {
    chosen.add(extremes.least.rank);
    chosen.add(extremes.most.rank);
  }
  for (int const quarter : {0, 1, 2, 3}) chosen.add(static_cast<int>(std::int64_t{ranks} * quarter / 4));
  for (int i = 0; i < sender_count_; ++i) chosen.add(senders_[i].rank);
  constexpr std::size_t operations = 16;  // the ones that take the most time
  sums.for_each_longest(operations, [&](Sum const& sum) {
    chosen.add(sum.least_rank);
    chosen.add(sum.most_rank);
  });
}

}  // namespace commprof
