// Which name was meant by a word that is none: for "did you mean …?".
#pragma once

#include <cstddef>
#include <string_view>

namespace commprof {

// The number of letters to insert, remove, replace or swap with their neighbour that make one word of the other. Case
// does not count. Words are compared up to their 63rd letter.
std::size_t count_slips(std::string_view typed, std::string_view name);

// Takes the names that there are and keeps the nearest one. Allocates nothing.
class NearestName {
 public:
  explicit NearestName(std::string_view typed) : typed_(typed) {}

  // A name is near if up to a third of the letters of the longer word are wrong, or if one word begins with the other
  // and that has three letters. Of names that are equally near, the first counts.
  void offer(std::string_view name);

  // Empty if none is near.
  [[nodiscard]] std::string_view name() const { return name_; }

 private:
  std::string_view typed_;
  std::string_view name_;
  std::size_t slips_ = static_cast<std::size_t>(-1);
};

}  // namespace commprof
