#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace mpisee_through {

// For a look-up by string_view without a copy of the text.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

#ifdef __cpp_lib_generic_unordered_lookup
template <class Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;
#else
// GCC 10's library cannot do that, and copies the text.
template <class Value>
struct TextMap : std::unordered_map<std::string, Value> {
  auto find(std::string_view text) { return this->std::unordered_map<std::string, Value>::find(std::string(text)); }
  auto find(std::string_view text) const {
    return this->std::unordered_map<std::string, Value>::find(std::string(text));
  }
};
#endif

}  // namespace mpisee_through
