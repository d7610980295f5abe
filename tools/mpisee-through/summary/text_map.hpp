#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

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

// What a name means, found out once for each: many rows have the same one, mostly one after the other.
template <class Value>
class Memo {
 public:
  Memo() = default;
  Memo(Memo const& other) : values_(other.values_) {}
  Memo& operator=(Memo const&) = delete;

  // find(): what the name means, if it is new.
  template <class Find>
  Value const& get(std::string_view name, Find const& find) {
    if (last_ != nullptr && last_->first == name) return last_->second;
    auto known = values_.find(name);
    if (known == values_.end()) known = values_.emplace(name, find()).first;
    last_ = &*known;
    return last_->second;
  }

 private:
  TextMap<Value> values_;
  std::pair<std::string const, Value> const* last_ = nullptr;
};

}  // namespace mpisee_through
