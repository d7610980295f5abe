// What a user can set so that the MPI uses another algorithm for a collective operation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "summary/algorithms.hpp"

namespace mpisee_through {

struct OtherAlgorithm {
  std::string value;      // for the MPI
  std::string algorithm;  // its name here

  bool operator==(OtherAlgorithm const&) const = default;
};

struct OtherAlgorithms {
  std::string environment;  // variables, the last one without its value: A=1 B=
  std::vector<OtherAlgorithm> choices;
};

// library: as in run.json. operation: as in operations.csv. algorithm: the one of now, which is not among the choices.
// ranks: of the communicator.
// Nothing for MPIs and operations without a choice, as far as it is known here.
[[nodiscard]] std::optional<OtherAlgorithms> other_algorithms(std::string_view library, std::string_view operation,
                                                              std::string_view algorithm, std::uint64_t ranks);

// The calls with the most time for which the MPI can use another algorithm than the one that is recognised.
struct AlgorithmToReplace {
  AlgorithmSummary now;
  OtherAlgorithms others;
};
[[nodiscard]] std::optional<AlgorithmToReplace> algorithm_to_replace(Summary const& summary,
                                                                     std::vector<AlgorithmSummary> const& algorithms);

}  // namespace mpisee_through
