// The text around the tables of --waits.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "summary/waits.hpp"

namespace mpisee_through {

// "12 calls after one that failed on some ranks only"; kind: as in run.json.
[[nodiscard]] std::string describe_not_sampled(std::string const& kind, std::uint64_t count);
// Which part of the MPI time is waiting, moving, or not known.
void print_sums_of_waits(std::ostream& out, Summary const& summary, Waits const& waits);
// What missing shares mean, and what was not measured.
void print_notes_on_waits(std::ostream& out, Summary const& summary, Waits const& waits);

}  // namespace mpisee_through
