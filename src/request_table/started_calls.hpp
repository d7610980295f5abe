// Calls of MPI_Start and MPI_Startall that started receives. Such a call is counted when the last of its receives has
// completed, because only then the number of bytes is known. There is an entry for each communicator of the call.
// Callers serialise.
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/memory.hpp"
#include "counters/counters.hpp"

namespace commprof {

struct StartedCall {
  RecordKey key{};              // of the call, without its size
  std::uint32_t receives = 0;   // receives that have not completed yet; 0: the entry is free
  std::uint32_t next_free = 0;  // index + 1
  Volume volume{};              // moved so far
  Ticks time{};                 // this communicator's share of the call
};

class StartedCalls {
 public:
  // Index + 1 of an entry for the call, or 0 when memory is used up.
  std::uint32_t add(StartedCall const& call) {
    std::uint32_t index = free_;
    if (index != 0) {
      free_ = calls_[index - 1].next_free;
      calls_[index - 1] = call;
      return index;
    }
    StartedCall* const added = calls_.append();
    if (added == nullptr) return 0;
    *added = call;
    return static_cast<std::uint32_t>(calls_.size());
  }

  // One of the call's receives has completed. True if it was the last: the caller counts the call, whose entry is free
  // now.
  bool receive_completed(std::uint32_t index, std::uint64_t arrived, StartedCall& call) {
    StartedCall& entry = calls_[index - 1];
    entry.volume.received += arrived;
    if (--entry.receives > 0) return false;
    call = entry;
    entry.next_free = free_;
    free_ = index;
    return true;
  }

  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (std::size_t i = 0; i < calls_.size(); ++i)
      if (calls_[i].receives > 0) visit(calls_[i]);
  }

 private:
  std::uint32_t free_ = 0;
  Arena<StartedCall, 6, 26> calls_{spool::Part{spool::Kind::started_calls}};
};

}  // namespace commprof
