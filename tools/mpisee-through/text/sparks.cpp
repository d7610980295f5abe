#include "text/sparks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace mpisee_through {

std::string_view spark_of(std::optional<double> part) {
  constexpr std::array<std::string_view, 8> sparks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  if (!part || !(*part > 0)) return " ";
  return sparks[std::min(static_cast<std::size_t>(*part * sparks.size()), sparks.size() - 1)];
}

}  // namespace mpisee_through
