#include "message_waits/causes.hpp"

#include <tuple>

namespace commprof {

namespace {

constexpr float certain = 0.95F;  // a likelihood beyond it, or below the rest of it, is taken for 1 or 0

template <class One>
One const* find_cell(PageVector<One> const& all, instants::Cell cell, instants::Cell One::*of) {
  return std::lower_bound(all.begin(), all.end(), cell,
                          [of](One const& one, instants::Cell wanted) { return one.*of < wanted; });
}

}  // namespace

void Causes::order() {
  std::sort(waits_.begin(), waits_.end(),
            [](Wait const& a, Wait const& b) { return std::tuple(a.cell, b.whom) < std::tuple(b.cell, a.whom); });
  Wait* const end =
      std::unique(waits_.begin(), waits_.end(), [](Wait const& a, Wait const& b) { return a.cell == b.cell; });
  waits_.resize(static_cast<std::size_t>(end - waits_.begin()));
}

// The excess of work explains the wait as far as it is as long. Since the event before of a stream, there may have been
// other waits: it explains a part of all of them. Where this process's own lap is not known, it has worked and waited
// as it does on average.
void Causes::compare(Wait& wait, double moving_of_other) {
  Judged one{wait.whom, wait.scope, static_cast<std::uint32_t>(&wait - waits_.begin()), 1, false};
  Lap const& other = wait.coming.lap;
  if (!wait.is_its_doing && other.aligned != Lap::unknown && wait.length_ns > 0) {
    double const work_of_other = other.own_work_ns(moving_of_other);
    bool const is_own_known = wait.own.aligned == other.aligned;
    double const elapsed = is_own_known ? wait.own.elapsed_ns : other.elapsed_ns;
    double const own_work = is_own_known ? wait.own.own_work_ns(moving_) : work_ * elapsed;
    double const length = std::max<double>(wait.length_ns, elapsed - own_work);
    one.excess = static_cast<float>(std::clamp((work_of_other - own_work) / length, -1.0, 1.0));
    one.is_known = true;
  }
  if (!wait.is_its_doing) judged_.push_back(one);
}

// What is late at one time and early at another one is noise. So in each group of waits of one call site for one
// process, what is too early takes its share of what is too late.
void Causes::share_noise() {
  std::sort(judged_.begin(), judged_.end(), [](Judged const& a, Judged const& b) {
    return std::tuple(a.whom, a.scope, a.wait) < std::tuple(b.whom, b.scope, b.wait);
  });
  for (Judged const* first = judged_.begin(); first != judged_.end();) {
    double sum = 0, late = 0;
    std::size_t known = 0;
    Judged const* last = first;
    for (; last != judged_.end() && last->whom == first->whom && last->scope == first->scope; ++last) {
      if (!last->is_known) continue;
      double const excess = last->excess;
      sum += excess;
      late += std::max(excess, 0.0);
      ++known;
    }
    double const kept = late > 0 ? std::max(sum, 0.0) / late : 0;
    double const mean = known == 0 ? 1 : std::max(sum, 0.0) / static_cast<double>(known);
    for (; first != last; ++first) {
      auto share = static_cast<float>(first->is_known ? kept * std::max<double>(first->excess, 0) : mean);
      if (share < 1 - certain) share = 0;
      if (share > certain) share = 1;
      (waits_.begin() + first->wait)->share = share;
    }
  }
}

PageVector<Causes::Chain>& Causes::chain(unsigned level) {
  level_ = level;
  for (Wait const& wait : waits_) {
    if (wait.whom < 0 || !is_below(scattered(wait.cell ^ static_cast<std::uint64_t>(rank_) << 40), level)) continue;
    Chain chain;
    chain.begin = chain.cell = wait.cell;
    chain.holder = chain.checkpoint = rank_;
    chain.whom = wait.whom;
    chain.share = wait.share;
    chain.entry = wait.coming.entry;
    chains_.push_back(chain);
  }
  return chains_;
}

Causes::Next Causes::next(instants::Cell cell) const {
  if (waits_.size() == 0) return {};
  Wait const* wait = find_cell(waits_, cell + 1, &Wait::cell);
  if (wait != waits_.begin()) --wait;
  return {wait->whom, wait->share, wait->cell, wait->coming.entry};
}

// The checkpoint moves on after 1, 2, 4, 8 … hops (Brent, 1980), so it is in any cycle in the end.
void Causes::advance(Chain& chain) const {
  ++chain.hops;
  std::uint64_t const draw = scattered(scattered(chain.begin ^ static_cast<std::uint64_t>(rank_) << 40) + chain.hops);
  bool const is_by_whom = static_cast<float>(draw >> 40) < chain.share * 0x1p24F;
  if (is_by_whom && chain.whom != chain.holder) chain.end = Chain::at_rank;
  else if (is_by_whom || chain.whom == chain.holder || chain.whom == chain.checkpoint || chain.hops >= most_hops)
    chain.end = Chain::in_pattern;
  else if ((chain.hops & (chain.hops - 1)) == 0) chain.checkpoint = chain.whom;
}

void Causes::follow(Chain& chain, Next const& next) {
  if (next.whom == nobody) {
    chain.end = Chain::at_rank;
  } else if (next.whom < 0) {
    chain.end = Chain::unknown;
  } else {
    chain.holder = chain.whom;
    chain.whom = next.whom;
    chain.share = next.share;
    chain.cell = next.cell;
    chain.entry = next.entry;
  }
}

Causes::Chain const* Causes::chain_of(instants::Cell cell) const {
  Chain const* const chain = find_cell(chains_, cell, &Chain::begin);
  return chain == chains_.end() || chain->begin != cell ? nullptr : chain;
}

}  // namespace commprof
