#include "recovery/spool_file.hpp"

namespace mpisee_through {

using namespace commprof;

bool RecoveredRegistry::makes_sense(Communicator const& record) const {
  std::size_t const place = size();
  bool const has_letter = record.letter == Letter::none || record.letter == Letter::foreign ||
                          (static_cast<char>(record.letter) >= 'a' && static_cast<char>(record.letter) <= 'z');
  bool const has_parent = record.parent == CommIndex::unknown || static_cast<std::size_t>(record.parent) < place;
  return static_cast<std::size_t>(record.index) == place && has_parent && has_letter && record.size >= 0 &&
         record.remote_size >= 0;
}

std::uint16_t RecoveredRegistry::next_depth(CommIndex parent) const {
  if (parent == CommIndex::unknown) return 0;
  std::uint16_t const depth = (*this)[parent].depth;
  return depth < UINT16_MAX ? static_cast<std::uint16_t>(depth + 1) : depth;
}

bool RecoveredRegions::restore(RegionIndex around, std::string_view name, RegionTotals const& running) {
  std::size_t const place = regions_.size();
  bool const is_main = place == 0;
  std::size_t depth = 0;
  for (RegionIndex outer = around; !is_main && outer != RegionIndex::main && depth <= max_depth;
       outer = at(outer).around) {
    if (static_cast<std::size_t>(outer) >= place) return false;
    ++depth;
  }
  if (depth >= max_depth || name.empty() != is_main || name.size() > RegionName::max_bytes) return false;
  Region* const region = regions_.append();
  if (region == nullptr) return false;
  *region = {around, texts_.add(name), running, {}};
  return true;
}

void RecoveredRegions::stop(RegionIndex innermost, Ticks time) {
  at(innermost).running.wall += time;
  take_stock(since_);
}

}  // namespace mpisee_through
