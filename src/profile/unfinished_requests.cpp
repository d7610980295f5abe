#include "profile/unfinished_requests.hpp"

#include <algorithm>

namespace commprof {

void UnfinishedRequests::take(PendingRequest const& request) {
  if (request.is_persistent() && request.start() == 0) return;
  if (request.is_counted()) ++count_;
  if (request.receives() && !request.is_persistent()) add(request.key, request.bytes(), request.issue_time);
}

void UnfinishedRequests::take(StartedCall const& call) { add(call.key, call.volume, call.time); }

void UnfinishedRequests::add(RecordKey key_without_size, Volume volume, Ticks time) {
  if (key_without_size.is_of_nothing()) return;  // issued while counting was paused
  RecordKey const key = key_without_size.with(size_bin(volume.total()));
  Record* const end = records_.end();
  Record* const same = std::find_if(end - std::min<std::ptrdiff_t>(end - records_.begin(), 16), end,
                                    [=](Record const& one) { return one.key == key; });
  if (same != end) return same->add(volume, time);
  Record record{};
  record.key = key;
  record.add(volume, time);
  if (!records_.push_back(record)) ++lost_calls_;
}

}  // namespace commprof
