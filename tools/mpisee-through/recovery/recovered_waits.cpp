#include "recovery/recovered_waits.hpp"

#include <array>
#include <string_view>

#include "base/hash.hpp"
#include "profile/profile.hpp"

namespace mpisee_through {

using namespace commprof;
using waits::Joint;
using waits::Meeting;
using waits::Spending;

namespace {

// Merges many collections in pairs of about equal size, so that each entry is copied O(log n) times.
template <class Sampled>
class Merging {
 public:
  void add(std::unique_ptr<Joint<Sampled>> next) {
    std::size_t level = 0;
    for (; level < waiting_.size() && waiting_[level]; ++level) next = merged(*waiting_[level], *next, level);
    if (level == waiting_.size()) waiting_.emplace_back();
    waiting_[level] = std::move(next);
  }
  std::unique_ptr<Joint<Sampled>> result() {
    auto all = std::make_unique<Joint<Sampled>>();
    for (std::size_t level = 0; level < waiting_.size(); ++level)
      if (waiting_[level]) all = merged(*waiting_[level], *all, level);
    return all;
  }

 private:
  std::unique_ptr<Joint<Sampled>> merged(Joint<Sampled> const& a, Joint<Sampled> const& b, std::size_t level) {
    auto both = std::make_unique<Joint<Sampled>>();
    Joint<Sampled>::merge(a, b, *both);
    waiting_[level].reset();
    return both;
  }

  std::vector<std::unique_ptr<Joint<Sampled>>> waiting_;
};

}  // namespace

void RecoveredWaits::take(SpoolFile const& file) {
  if (processes_.contains(file.owner.rank)) return;
  auto own = std::make_unique<OwnWaits>(file.owner.rank, hash_of(file.owner.host), file.rate);
  std::vector<std::vector<WaitSample>> samples(file.samplers.size());
  for (WaitSample const& sample : file.wait_samples)
    if (sample.sampler <= samples.size()) samples[sample.sampler - 1].push_back(sample);
  std::array<char, Registry::max_name> room{};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (file.samplers[i].number == 0) continue;  // 0 if the entry is damaged
    CommIndex const comm = file.samplers[i].comm;
    auto const members = static_cast<std::uint32_t>(file.registry[comm].total_size());
    own->take(file.samplers[i], file.registry.name(comm, room.data()), members, samples[i].data(), samples[i].size());
  }
  own->count(MergedRecords(file.records));
  processes_.emplace(file.owner.rank, std::move(own));
}

void RecoveredWaits::join() {
  Merging<Meeting> meetings;
  for (auto const& [rank, own] : processes_) {
    auto told = std::make_unique<Joint<Meeting>>();
    own->tell_meetings(*told);
    meetings.add(std::move(told));
  }
  auto const agreed = meetings.result();
  Merging<Spending> spendings;
  for (auto const& [rank, own] : processes_) {
    auto told = std::make_unique<Joint<Spending>>();
    own->tell_spendings(*agreed, *told);
    spendings.add(std::move(told));
  }
  auto const spent = spendings.result();
  for (auto const& [rank, own] : processes_) own->finish(*agreed, *spent);
}

OwnWaits const& RecoveredWaits::of(std::int32_t rank) const {
  static OwnWaits const nothing(0, 0, {});
  auto const found = processes_.find(rank);
  return found == processes_.end() ? nothing : *found->second;
}

}  // namespace mpisee_through
