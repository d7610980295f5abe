// Requests that no call has completed by the time that a profile is written. Their receives appear in it with what is
// known of them; the entries stay as they are, so that a snapshot takes nothing from the profiles after it.
#pragma once

#include <cstdint>

#include "base/memory.hpp"
#include "counters/counters.hpp"
#include "request_table/request_table.hpp"
#include "request_table/started_calls.hpp"

namespace commprof {

class UnfinishedRequests {
 public:
  void take(PendingRequest const& request);
  void take(StartedCall const& call);

  std::uint64_t count() const { return count_; }
  // One for each call that is not counted yet.
  PageVector<Record> const& records() const { return records_; }
  std::uint64_t lost_calls() const { return lost_calls_; }  // for which there was no memory

 private:
  void add(RecordKey key_without_size, Volume volume, Ticks time);

  std::uint64_t count_ = 0;
  PageVector<Record> records_;
  std::uint64_t lost_calls_ = 0;
};

}  // namespace commprof
