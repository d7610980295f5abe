#include "profile/profile_files.hpp"

#include <algorithm>

namespace commprof {

bool Offers::add(Offers const& later) {
  bool is_whole = true;
  for (std::size_t i = 0; i < files.size(); ++i) is_whole = rows_[i].add(later.rows_[i]) && is_whole;
  return is_whole;
}

namespace {

template <std::size_t n>
void add_all(std::array<std::uint64_t, n>& sums, std::array<std::uint64_t, n> const& values) {
  for (std::size_t i = 0; i < n; ++i) sums[i] += values[i];
}

}  // namespace

void RunSummary::add(RunSummary const& other) {
  add_all(rows, other.rows);
  add_all(dropped, other.dropped);
  add_all(folded, other.folded);
  add_all(no_waits, other.no_waits);
  all_us += other.all_us;
  mpi_us += other.mpi_us;
  wall_ns = std::max(wall_ns, other.wall_ns);
  messages.add(other.messages);
}

}  // namespace commprof
