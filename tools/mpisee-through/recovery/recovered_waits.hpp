// How long killed processes waited for each other: what they would have found out in MPI_Finalize.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "recovery/spool_file.hpp"
#include "waits/own_waits.hpp"

namespace mpisee_through {

class RecoveredWaits {
 public:
  // Of each process, in any order. Takes what the samples take, 32 bytes each.
  void take(SpoolFile const& file);
  // After the last one.
  void join();
  // Of that rank; there are no rows if it was not taken.
  [[nodiscard]] commprof::OwnWaits const& of(std::int32_t rank) const;

 private:
  std::map<std::int32_t, std::unique_ptr<commprof::OwnWaits>> processes_;
};

}  // namespace mpisee_through
