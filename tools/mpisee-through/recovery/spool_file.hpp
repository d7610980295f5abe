// The contents of one process's spool file: see spool/layout.hpp.
//
// The process may have been killed at any moment or may still be writing, and the file may be truncated or damaged. So
// every entry is checked: valid ones are taken, and the others are counted as damaged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/dropped.hpp"
#include "comm_naming/registry.hpp"
#include "counters/counters.hpp"
#include "counters/regions.hpp"
#include "files/profile_error.hpp"
#include "message_waits/message_waits.hpp"
#include "profile/profile.hpp"
#include "sites/sites.hpp"
#include "spool/layout.hpp"
#include "time_windows/time_windows.hpp"

namespace mpisee_through {

// The communicators and the regions of another process, as its spool has them.
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

class SpoolFile {
 public:
  // Reads the file. Throws ProfileError if nothing in it can be used. Parts: the waiting for messages is large, and
  // only needed once.
  enum class Parts { all, without_messages };
  explicit SpoolFile(FileToRead const& file, Parts parts = Parts::without_messages);
  SpoolFile(SpoolFile const&) = delete;
  SpoolFile& operator=(SpoolFile const&) = delete;
  ~SpoolFile();

  commprof::spool::Owner owner;
  std::string run_json;  // as written at the start; empty if lost
  std::string processors;
  std::string profile, job;  // the directory of the profile, and %j; empty if unknown
  std::uint64_t threads = 0;
  std::uint64_t threads_at_once = 0;  // threads that have records, without those that took over another's
  RecoveredRegistry registry;
  RecoveredRegions regions;  // its clock is stopped at the last known event
  commprof::Sites sites;
  std::vector<commprof::Record> records;
  std::vector<commprof::PeerRecord> peers;
  commprof::UnfinishedRequests unfinished;
  // Its windows of time; nullptr: there are none.
  [[nodiscard]] commprof::TimeWindowTable const* time_windows() const {
    return time_windows_.empty() ? nullptr : reinterpret_cast<commprof::TimeWindowTable const*>(time_windows_.data());
  }
  std::unique_ptr<commprof::MessageWaits> messages;  // nullptr: nothing is known of the waiting for messages
  std::vector<commprof::PendingRequest> requests;
  // The current call of each thread, and its offset in the file.
  std::vector<commprof::CurrentCall> current_calls;
  struct Piece {
    std::size_t offset = 0, bytes = 0;
  };
  std::vector<Piece> current_calls_at;
  // The handles of each communicator in the process, by its index.
  struct Handles {
    std::uint64_t handle = 0;
    std::int32_t integer = commprof::Communicator::no_integer;
  };
  std::vector<Handles> handles;
  std::vector<commprof::Sites::Module> modules;  // by number: addresses in the process; without texts
  std::array<std::uint64_t, commprof::dropped::names.size()> dropped{};
  std::array<std::uint64_t, commprof::dropped::folded_names.size()> folded{};
  commprof::spool::Abort abort;
  commprof::spool::UseSoFar use;
  commprof::clock::Reading first;  // of the process's clock
  commprof::clock::Rate rate;
  commprof::RegionIndex region{};  // the innermost open one
  commprof::Ticks end;             // time of the last known call or change of region
  std::uint64_t damaged = 0;       // number of damaged entries and pages
  std::uint64_t lost_chunks = 0;   // number of parts that the process could not keep in the file

 private:
  class Reading;

  std::vector<std::uint64_t> time_windows_;
};

}  // namespace mpisee_through
