#include "finalize/own_rows.hpp"

#include <algorithm>
#include <iterator>

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
  summary.dropped[static_cast<std::size_t>(Dropped::communicator_names)] += names_in_doubt(contents.waits);
  if (contents.rows.has_waits) count_calls_without_waits(contents.rows, summary);
  return summary;
}

char OwnRows::buffer[];

void OwnRows::Kept::put(void* self, char const* part, std::size_t length) {
  auto& kept = *static_cast<Kept*>(self);
  std::size_t const before = kept.text.size();
  kept.is_whole = kept.is_whole && kept.text.resize(before + length);
  if (kept.is_whole) std::copy_n(part, length, kept.text.begin() + before);
}

bool OwnRows::has(RowWriter const& writer) const {
  constexpr File of_all[] = {File::communicators, File::ranks, File::waits};
  return is_detailed_ || std::find(std::begin(of_all), std::end(of_all), writer.file) != std::end(of_all);
}

void OwnRows::format(bool is_detailed) {
  is_detailed_ = is_detailed;
  for (OfFile& file : files_) {
    file.own.rows = file.own.bytes = 0;
    file.own.is_kept = true;
    file.own.text.release();
  }
  for (RowWriter const& writer : row_writers) {
    if (!has(writer)) continue;
    Formatted& own = files_[static_cast<std::size_t>(writer.file)].own;
    auto const put = [](void* to, char const* text, std::size_t length) {
      auto& formatted = *static_cast<Formatted*>(to);
      constexpr std::size_t most_kept = std::size_t{512} * 1024;
      formatted.bytes += length;
      formatted.is_kept = formatted.is_kept && formatted.bytes <= most_kept;
      Kept kept{formatted.text, formatted.is_kept};
      if (formatted.is_kept) Kept::put(&kept, text, length);
      if (!formatted.is_kept) formatted.text.release();
    };
    TextWriter out(buffer, sizeof buffer, put, &own);
    own.rows += writer.write(context_, out);
  }
}

void OwnRows::format_again(File file, Take take, void* to) const {
  struct Target {
    Take take;
    void* to;
    File file;
  } target{take, to, file};
  auto const put = [](void* self, char const* text, std::size_t length) {
    auto const& of = *static_cast<Target*>(self);
    of.take(of.to, of.file, {text, length});
  };
  for (RowWriter const& writer : row_writers) {
    if (writer.file != file || !has(writer)) continue;
    TextWriter out(buffer, sizeof buffer, put, &target);
    writer.write(context_, out);
  }
}

PerFile OwnRows::rows() const {
  PerFile all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = files_[i].own.rows + files_[i].further_rows;
  return all;
}

PerFile OwnRows::bytes() const {
  PerFile all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = files_[i].own.bytes + files_[i].further.size();
  return all;
}

namespace {

// Mixes bits as SplitMix64 does (https://prng.di.unimi.it/splitmix64.c).
std::uint64_t hash_of_rank(int rank) {
  std::uint64_t bits = static_cast<std::uint64_t>(rank) + 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return bits ^ bits >> 31;
}

}  // namespace

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

void Candidates::take(Sampled const& sampled) {
  if (sampled_ == sample_size && sampled.hash > sample_[sample_size - 1].hash) return;
  if (sampled_ < sample_size) ++sampled_;
  sample_[sampled_ - 1] = sampled;
  std::sort(sample_, sample_ + sampled_, [](Sampled const& a, Sampled const& b) { return a.hash < b.hash; });
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
  take({hash_of_rank(rank), {mpi, rank}});
  take_sender({most_bytes, rank});
}

void Candidates::merge(Candidates const& others) {
  for (auto const extremes : {&Candidates::wall_, &Candidates::mpi_, &Candidates::outside_}) {
    (this->*extremes).take((others.*extremes).least);
    (this->*extremes).take((others.*extremes).most);
  }
  for (int i = 0; i < others.sampled_; ++i) take(others.sample_[i]);
  for (int i = 0; i < others.sender_count_; ++i) take_sender(others.senders_[i]);
}

void Candidates::choose(Sums const& sums, DetailedRanks& chosen) const {
  for (Extremes const& extremes : {wall_, mpi_, outside_}) {
    chosen.add(extremes.least.rank);
    chosen.add(extremes.most.rank);
  }
  Value values[sample_size];
  for (int i = 0; i < sampled_; ++i) values[i] = sample_[i].mpi;
  std::sort(values, values + sampled_, [](Value const& a, Value const& b) { return a.value < b.value; });
  for (int const quarter : {1, 2, 3})
    if (sampled_ > 0) chosen.add(values[sampled_ * quarter / 4].rank);
  for (int i = 0; i < sender_count_; ++i) chosen.add(senders_[i].rank);
  constexpr std::size_t operations = 16;  // the ones that take the most time
  sums.for_each_longest(operations, [&](Sum const& sum) {
    chosen.add(sum.least_rank);
    chosen.add(sum.most_rank);
  });
}

}  // namespace commprof
