// Whether ranks got the processors that they needed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "summary/summary.hpp"

namespace mpisee_through {

// Ranks that may run on the same processors of a host, and outnumber them.
struct CrowdedProcessors {
  HostIndex host;
  std::uint64_t ranks;
  std::uint64_t processors;
  bool are_all_of_host;  // all that ranks there may use
  // How many of them the ranks got, by their processor time, if other processes must have used the rest.
  std::optional<double> got_beside_others{};
};

class ProcessorWaits {
 public:
  // The summary must outlive this.
  explicit ProcessorWaits(Summary const& summary);

  // The part of its wall time during which a rank could run and waited for a processor, 0 to 1. Where the system has
  // not counted it, the part without a processor if the rank is on the most crowded host; otherwise 0.
  [[nodiscard]] double of(std::uint32_t rank) const;

  // The mean of the ranks that compute most. The length of the run depends on them; a rank that waits for a processor
  // within MPI may wait for others all the same.
  [[nodiscard]] double of_busiest() const;

  // Those with the most ranks for each processor.
  [[nodiscard]] std::optional<CrowdedProcessors> const& most_crowded() const { return most_crowded_; }

 private:
  Summary const& summary_;
  std::optional<CrowdedProcessors> most_crowded_;
};

}  // namespace mpisee_through
