// Requests that are not completed when a profile is written. The profile counts their receives with what is known by
// then. The table's entries do not change, so later profiles are not affected by a snapshot.
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
  // The calls that are not counted yet. Few of them have records of one key.
  PageVector<Record> const& records() const { return records_; }
  std::uint64_t lost_calls() const { return lost_calls_; }  // calls without a record, for lack of memory

 private:
  void add(RecordKey key_without_size, Volume volume, Ticks time);

  std::uint64_t count_ = 0;
  PageVector<Record> records_;
  std::uint64_t lost_calls_ = 0;
};

}  // namespace commprof
