// The tables of a profile, as numbers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "profile/schema.hpp"

namespace commprof {

// In the order of schema::tables.
enum class File : int {
  operations,
  communicators,
  ranks,
  regions,
  peers,
  sites,
  modules,
  waits,
  waits_by_rank,
  summary,
  sizes,
  host_pairs,
  waits_by_pair,
  when,
  count_
};
static_assert(static_cast<std::size_t>(File::count_) == schema::tables.size());

// A set of files.
class FileSet {
 public:
  static constexpr FileSet all() { return FileSet((1U << schema::tables.size()) - 1); }

  constexpr bool has(File file) const { return (bits_ & bit(file)) != 0; }
  constexpr FileSet without(File file) const { return FileSet(bits_ & ~bit(file)); }

 private:
  static constexpr std::uint32_t bit(File file) { return 1U << static_cast<unsigned>(file); }
  constexpr explicit FileSet(std::uint32_t bits) : bits_(bits) {}

  std::uint32_t bits_;
};

// The files of a profile. has_summary: memory sufficed for the sums. is_of_sums: only a few ranks have rows of their
// own.
constexpr FileSet files_of_profile(bool has_summary, bool is_of_sums) {
  FileSet const files = has_summary ? FileSet::all() : FileSet::all().without(File::summary).without(File::sizes);
  return is_of_sums ? files : files.without(File::host_pairs);
}

}  // namespace commprof
