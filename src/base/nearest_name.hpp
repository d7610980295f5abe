// Finds the known name closest to a misspelled one, for "did you mean …?".
#pragma once

#include <cstddef>
#include <string_view>

namespace commprof {

// The number of letters to insert, remove, replace or swap with a neighbour to change one word into the other. Ignores
// case, and letters after the 63rd.
std::size_t count_slips(std::string_view typed, std::string_view name);

// Compares a word with each name offered, and keeps the nearest. Allocates nothing.
class NearestName {
 public:
  explicit NearestName(std::string_view typed) : typed_(typed) {}

  // A name is near if at most a third of the longer word's letters are wrong, or if one word begins with the other,
  // which has at least three letters. Among equally near names, the first one offered wins.
  void offer(std::string_view name);

  // Empty if no name is near.
  [[nodiscard]] std::string_view name() const { return name_; }

 private:
  std::string_view typed_;
  std::string_view name_;
  std::size_t slips_ = static_cast<std::size_t>(-1);
};

}  // namespace commprof
