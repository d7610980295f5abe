#include "waits/samples.hpp"

#include "base/dropped.hpp"

namespace commprof {

namespace {

// The next call in a sample of the level. If none is near, a call that is not in the sample: there the search
// continues.
std::uint64_t next_of_level(std::uint64_t after, std::uint32_t level) {
  constexpr std::uint64_t farthest = 256;
  std::uint64_t next = after + 1;
  while (!waits::is_sampled(next, level) && next < after + farthest) ++next;
  return next;
}

}  // namespace

constinit Sampler no_sampler{};

void Sampler::keep(std::uint64_t call, Interval interval) {
  use_so_far::refresh();
  CurrentCall const& shown = *this_thread.current_call;
  // The first call of a thread is not in current_call, so its root is unknown.
  if (shown.since != interval.end) return waits::samples.pass(*this, call);
  waits::samples.keep(*this, call, interval, shown.root == own_root);
}

void Sampler::pass() {
  std::uint64_t const call = calls;
  live::set(calls, call + 1);
  if (call == next) waits::samples.pass(*this, call);
}

Sampler* WaitSamples::find_or_add(CommIndex comm, Op op, std::int32_t own_root) {
  Guard const guard(mutex);
  auto const key = static_cast<std::uint64_t>(comm) << 16 | static_cast<std::uint64_t>(op);
  auto const hash = [](std::uint64_t of) { return of * 0x9E3779B97F4A7C15ULL >> 32; };
  Slot* const slot = slots_.find_or_room(
      hash(key), samplers_.size(), [=](Slot const& other) { return other.key == key; },
      [=](Slot const& other) { return hash(other.key); });
  if (slot == nullptr) return &no_sampler;
  if (slot->sampler != nullptr) return slot->sampler;
  auto const number = static_cast<std::uint32_t>(samplers_.size()) + 1;
  Sampler* const made = samplers_.append([=](Sampler& sampler) {
    sampler.comm = comm;
    sampler.op = op;
    sampler.own_root = own_root;
    sampler.next = 0;
    sampler.number = number;
  });
  if (made == nullptr) return &no_sampler;
  *slot = {key, made};
  return made;
}

// place: its index + 1.
WaitSample* WaitSamples::room_for_one(std::uint32_t& place) {
  if (free_ == 0) {
    WaitSample* const made = samples_.append();
    place = static_cast<std::uint32_t>(samples_.size());
    return made;
  }
  place = free_;
  WaitSample& sample = samples_[free_ - 1];
  free_ = sample.before;
  return &sample;
}

// Frees the samples that are not in the sample of the next level.
void WaitSamples::halve(Sampler& sampler) {
  ++sampler.level;
  for (std::uint32_t* link = &sampler.latest; *link != 0;) {
    std::uint32_t const place = *link;
    WaitSample& sample = samples_[place - 1];
    if (waits::is_sampled(sample.call, sampler.level)) {
      link = &sample.before;
      continue;
    }
    *link = sample.before;
    sample.sampler = 0;
    sample.before = free_;
    free_ = place;
    --sampler.kept;
  }
}

void WaitSamples::keep(Sampler& sampler, std::uint64_t call, Interval interval, bool is_root) {
  Guard const guard(mutex);
  if (sampler.kept == most_of_one) halve(sampler);
  if (waits::is_sampled(call, sampler.level)) {
    std::uint32_t place = 0;
    WaitSample* room = room_for_one(place);
    if (room == nullptr && sampler.kept > 0) {  // other samplers use all memory
      halve(sampler);
      if (waits::is_sampled(call, sampler.level)) room = room_for_one(place);
    }
    if (room != nullptr) {
      *room = {call & (UINT64_MAX >> 1), is_root,        interval.end - interval.elapsed,
               interval.elapsed,         sampler.number, sampler.latest};
      sampler.latest = place;
      ++sampler.kept;
    }
  }
  live::set(sampler.next, next_of_level(call, sampler.level));
}

void WaitSamples::pass(Sampler& sampler, std::uint64_t call) {
  Guard const guard(mutex);
  live::set(sampler.next, next_of_level(call, sampler.level));
}

}  // namespace commprof
