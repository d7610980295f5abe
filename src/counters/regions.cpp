#include "counters/regions.hpp"

#include <atomic>
#include <cstring>

#include "base/dropped.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "counters/shards.hpp"
#include "spool/spool.hpp"

namespace commprof {

namespace {

// Empty names would be invisible, and / stands between the names of a path.
constexpr std::string_view name_of_none = "(unnamed)";

}  // namespace

RegionName::RegionName(std::string_view given) {
  std::string_view const kept = given.empty() ? name_of_none : whole_utf8(given, max_bytes);
  std::replace_copy(kept.begin(), kept.end(), text_, region_names::separator, '|');
  length_ = kept.size();
  hash_ = hash_of(text());
}

bool Regions::start(Ticks now) {
  if (regions_.size() == 0 && regions_.append() == nullptr) return false;
  for (std::size_t i = 0; i < regions_.size(); ++i) regions_[i].running = {};
  at(RegionIndex::main).running.entered = 1;
  depth_ = 0;
  beyond_depth_ = 0;
  since_ = now;
  tell_spool();
  return true;
}

RegionIndex Regions::begin(std::string_view name, Ticks now) {
  RegionIndex const around = current();
  if (depth_ == max_depth) {
    ++beyond_depth_;
    dropped::count(Folded::regions);
    return around;
  }
  RegionName const own_name(name);
  RegionIndex const region = find_or_add(around, own_name);
  spend(now);
  open_[depth_++] = {region, own_name.hash()};
  if (region == around) dropped::count(Folded::regions);
  else ++at(region).running.entered;
  tell_spool();
  return region;
}

Regions::Ending Regions::end(std::string_view name, Ticks now) {
  if (beyond_depth_ > 0) {
    --beyond_depth_;
    return Ending::done;
  }
  if (depth_ == 0) return Ending::none_is_open;
  if (name.data() != nullptr && RegionName(name).hash() != open_[depth_ - 1].name_hash) return Ending::of_another_name;
  spend(now);
  --depth_;
  tell_spool();
  return Ending::done;
}

// The records of regions hold neither the current region nor the time since it was entered.
void Regions::tell_spool() const {
  spool::head().region = current();
  spool::head().region_since = since_;
}

// Time stamp counters of two cores may differ slightly, so `now` may be earlier than since_.
void Regions::spend(Ticks now) {
  if (now < since_) return;
  this_thread.current_call->leave_region(now);
  at(current()).running.wall += now - since_;
  since_ = now;
}

void Regions::take_stock(Ticks now) {
  spend(now);
  tell_spool();
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    RegionTotals& running = regions_[i].running;
    std::uint64_t const queued_ns = std::atomic_ref(running.queued_ns).load(std::memory_order_relaxed);
    regions_[i].stock = {running.entered, running.wall, {}, queued_ns};
  }
}

RegionIndex Regions::find_or_add(RegionIndex around, RegionName const& name) {
  // The calls outside any region are shown as "main", so a region that the program names main needs another path.
  bool const is_like_main = around == RegionIndex::main && name.text() == region_names::main;
  std::string_view const text = is_like_main ? region_names::main_within_main : name.text();
  std::uint64_t const hash = (name.hash() + static_cast<std::uint64_t>(around)) | 1;
  RegionIndex const* const known =
      index_.find(hash, [&](RegionIndex of) { return at(of).around == around && texts_.view(at(of).name) == text; });
  if (known != nullptr) return *known;
  RegionIndex* const place = index_.add(hash);
  if (place == nullptr) return around;
  RegionIndex const added = *place = add(around, text);
  if (added == around) index_.erase(*place);
  return added;
}

RegionIndex Regions::add(RegionIndex around, std::string_view name) {
  std::size_t const index = regions_.size();
  if (index > max_regions_) return around;
  TextRef const stored = texts_.add(name);
  if (stored.length == 0) return around;
  Region* const region = regions_.append([=](Region& made) {
    made.around = around;
    made.name = stored;
  });
  if (region == nullptr) return around;
  return static_cast<RegionIndex>(index);
}

std::string_view Regions::path(RegionIndex region, char* room) const {
  if (region == RegionIndex::main) return region_names::main;
  char* first = room + max_path;
  while (region != RegionIndex::main) {
    Region const& part = at(region);
    std::string_view const name = texts_.view(part.name);
    if (first != room + max_path) *--first = region_names::separator;
    first -= name.size();
    std::memcpy(first, name.data(), name.size());
    region = part.around;
  }
  return {first, static_cast<std::size_t>(room + max_path - first)};
}

}  // namespace commprof
