// What one process left in its spool file: see spool/layout.hpp.
//
// The process may have been killed at any moment, the file may have been cut off or damaged, and the process may still
// be at work on it. So nothing in the file is taken for granted: what makes sense is taken, and the rest is counted as
// damaged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/dropped.hpp"
#include "comm_naming/registry.hpp"
#include "counters/counters.hpp"
#include "files/file_to_read.hpp"
#include "profile/profile.hpp"
#include "sites/sites.hpp"
#include "spool/layout.hpp"
#include "waits/samples.hpp"

namespace mpisee_through {

class SpoolFile {
 public:
  // Reads it. Throws ProfileError if nothing can be had of it.
  explicit SpoolFile(FileToRead const& file);
  SpoolFile(SpoolFile const&) = delete;
  SpoolFile& operator=(SpoolFile const&) = delete;
  ~SpoolFile();

  commprof::spool::Owner owner;
  std::string run_json;  // as it was at the start; empty if it is lost
  std::string cpus;
  std::uint64_t threads = 0;
  commprof::Registry registry;
  commprof::Regions regions;  // stock is taken at the end
  commprof::Sites sites;
  std::vector<commprof::Record> records;
  std::vector<commprof::PeerRecord> peers;
  commprof::UnfinishedRequests unfinished;
  std::vector<commprof::Sampler> samplers;
  std::vector<commprof::WaitSample> wait_samples;  // of a sampler here
  std::vector<commprof::PendingRequest> requests;
  // What its threads are in, one each; where in the file that is.
  std::vector<commprof::CurrentCall> current_calls;
  struct Piece {
    std::size_t offset = 0, bytes = 0;
  };
  std::vector<Piece> current_calls_at;
  // What communicators are called in the process, by their index.
  struct Handles {
    std::uint64_t handle = 0;
    std::int32_t integer = commprof::Communicator::no_integer;
  };
  std::vector<Handles> handles;
  std::vector<commprof::Sites::Module>
      modules;  // where they are in the process, by their number; their texts are not here
  std::array<std::uint64_t, commprof::dropped::names.size()> dropped{};
  std::array<std::uint64_t, commprof::dropped::folded_names.size()> folded{};
  commprof::clock::Reading first, last;  // of the process's clock
  commprof::clock::Rate rate;
  commprof::Ticks end;            // of the last call or the last change of region that is known
  std::uint64_t damaged = 0;      // entries and pages that make no sense
  std::uint64_t lost_chunks = 0;  // parts that the process could not keep in the file

 private:
  class Reading;
};

}  // namespace mpisee_through
