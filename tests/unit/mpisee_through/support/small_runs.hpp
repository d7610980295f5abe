#pragma once

#include <memory>
#include <vector>

#include "comparison/runs.hpp"
#include "support/temporary_profile.hpp"

// Runs that a test writes. All ranks of a run take equally long.
class SmallRuns {
 public:
  // useful_s: time outside MPI, by rank; operations: rows of operations.csv.
  void add(double wall_s, std::vector<double> const& useful_s, std::vector<std::string> const& operations = {});

  [[nodiscard]] mpisee_through::Runs read() const;
  [[nodiscard]] TemporaryProfile& last() { return *profiles_.back(); }

 private:
  std::vector<std::unique_ptr<TemporaryProfile>> profiles_;
};
