// The communicators and the regions of another process, as its spool has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "comm_naming/registry.hpp"
#include "counters/regions.hpp"

namespace mpisee_through {

class RecoveredRegistry : public commprof::Registry {
 public:
  ~RecoveredRegistry() {
    records_.release();
    texts_.release();
  }

  // Appends the next record. text_of: returns a text of that record. False if the record is damaged or memory is used
  // up.
  template <class TextOf>
  bool restore(commprof::Communicator const& record, TextOf&& text_of) {
    using commprof::Communicator;
    if (!makes_sense(record)) return false;
    Communicator* const restored = records_.append();
    if (restored == nullptr) return false;
    *restored = record;
    restored->depth = next_depth(record.parent);
    restored->handle = 0;
    restored->integer = Communicator::no_integer;
    for (commprof::TextRef Communicator::*const text :
         {&Communicator::name_part, &Communicator::members, &Communicator::topology, &Communicator::user_name})
      restored->*text = store(text_of(record.*text));
    return true;
  }

 private:
  [[nodiscard]] bool makes_sense(commprof::Communicator const& record) const;
  // The depth of a child. It stays within its type: the parent may be a damaged record.
  [[nodiscard]] std::uint16_t next_depth(commprof::CommIndex parent) const;
};

class RecoveredRegions : public commprof::Regions {
 public:
  ~RecoveredRegions() {
    regions_.release();
    texts_.release();
  }

  // Appends the next region, the first of which is main. False if the region is damaged or memory is used up.
  bool restore(commprof::RegionIndex around, std::string_view name, commprof::RegionTotals const& running);

  // Must be called after the last restore(): sets the innermost region at the end, and how long it had been that. Takes
  // stock.
  void stop(commprof::RegionIndex innermost, commprof::Ticks time);
};

}  // namespace mpisee_through
