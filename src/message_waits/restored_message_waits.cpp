// Takes what a process has left in its spool file. The process may have been killed at any moment, and the file may be
// damaged.
#include <algorithm>

#include "message_waits/message_waits.hpp"
#include "ops.hpp"

namespace commprof {

namespace {

// More instants in calls than a process keeps: the file is damaged.
constexpr std::size_t most_hits = std::size_t{1} << 22;

template <class Values, class Value>
bool add_all(Values& all, std::span<Value const> more) {
  return std::all_of(more.begin(), more.end(), [&](Value const& one) { return all.push_back(one); });
}

bool are_in(std::size_t first, std::size_t count, std::size_t size) { return first <= size && count <= size - first; }

}  // namespace

bool MessageWaits::restore(Found const& found) {
  Kept const& kept = found.kept;
  bool const is_whole = kept.is_on == 1 && kept.is_changing == 0 && kept.is_broken == 0 && kept.must_convert <= 1 &&
                        kept.choice.is_changing == 0 && kept.instants.are_sound();
  if (!is_whole) return false;
  std::size_t const comms = found.own_ranks.size();
  std::size_t hits = 0;
  auto const is_sound_call = [&](SpanningCall const& one) {
    std::size_t of_call = 0;
    kept.instants.for_each(one.entry, one.exit, [&](PlacedInstants::One const&) { ++of_call; });
    hits += of_call * std::max<std::size_t>(one.count, 1);
    return are_in(one.first, one.count, found.awaited.size()) && one.op < Op::count_ && one.entry <= one.exit &&
           static_cast<std::size_t>(one.scope) < found.scopes && hits <= most_hits;
  };
  auto const is_sound_message = [&](Awaited const& one) {
    return one.what <= Awaited::other && one.way <= Way::in &&
           (one.what != Awaited::message || static_cast<std::size_t>(one.comm) < comms);
  };
  auto const is_sound_kind = [&](PendingCounts::Kind const& one) {
    return static_cast<std::size_t>(one.key.comm()) < comms && one.key.op() < Op::count_ &&
           static_cast<std::size_t>(one.key.scope()) < found.scopes;
  };
  bool const is_sound = std::all_of(found.spans.begin(), found.spans.end(), is_sound_call) &&
                        std::all_of(found.awaited.begin(), found.awaited.end(), is_sound_message) &&
                        std::all_of(found.pending.begin(), found.pending.end(), is_sound_kind);
  if (!is_sound) return false;
  own_kept_ = kept;
  own_kept_.choice = {};  // what is not kept is left out here
  known_until_ = kept.noticed;
  auto const own_rank = [&](CommIndex comm) {
    auto const i = static_cast<std::size_t>(comm);
    return i < comms ? found.own_ranks[i] : 0;
  };
  return streams_.restore(found.streams, kept.choice, own_rank) && add_all(log_, found.log) &&
         add_all(spans_, found.spans) && add_all(awaited_, found.awaited) && add_all(queues_, found.queues) &&
         add_all(cancelled_, found.cancelled) && pending_.restore(found.pending);
}

}  // namespace commprof
