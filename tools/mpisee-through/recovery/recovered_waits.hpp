// Computes from the samples of killed processes how long they waited for each other, as MPI_Finalize would have done.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "recovery/spool_file.hpp"
#include "waits/own_waits.hpp"

namespace mpisee_through {

class RecoveredWaits {
 public:
  // Takes the samples of a process, in any order of processes. Needs 32 bytes for each sample.
  void take(SpoolFile const& file);
  // Must be called after the last take().
  void join();
  // The waits of a rank; without rows if its samples were not taken.
  [[nodiscard]] commprof::OwnWaits const& of(std::int32_t rank) const;

 private:
  std::map<std::int32_t, std::unique_ptr<commprof::OwnWaits>> processes_;
};

}  // namespace mpisee_through
