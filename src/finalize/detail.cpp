#include "finalize/detail.hpp"

namespace commprof {

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
