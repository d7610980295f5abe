#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mpisee_through {

// Allows a look-up by string_view without copying the text.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

#ifdef __cpp_lib_generic_unordered_lookup
template <class Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;
#else
// A map from text. GCC 10's library lacks look-up by string_view in unordered maps, so find() copies the text there.
template <class Value>
struct TextMap : std::unordered_map<std::string, Value> {
  auto find(std::string_view text) { return this->std::unordered_map<std::string, Value>::find(std::string(text)); }
  auto find(std::string_view text) const {
    return this->std::unordered_map<std::string, Value>::find(std::string(text));
  }
};
#endif

// Remembers a value for each name. Many rows have the same name, mostly in a row.
template <class Value>
class Memo {
 public:
  Memo() = default;
  Memo(Memo const& other) : values_(other.values_) {}
  Memo(Memo&& other) noexcept : values_(std::move(other.values_)), last_(std::exchange(other.last_, nullptr)) {}
  ~Memo() = default;
  Memo& operator=(Memo const&) = delete;

  // find(): computes the value of a new name.
  template <class Find>
  Value& get(std::string_view name, Find const& find) {
    if (last_ != nullptr && last_->first == name) return last_->second;
    auto known = values_.find(name);
    if (known == values_.end()) known = values_.emplace(name, find()).first;
    last_ = &*known;
    return last_->second;
  }

  [[nodiscard]] TextMap<Value>& values() { return values_; }

 private:
  TextMap<Value> values_;
  std::pair<std::string const, Value>* last_ = nullptr;
};

// Numbers texts from 0 on, in the order in which they come. Any thread may ask for a number.
template <class Number>
class NumberedTexts {
 public:
  [[nodiscard]] Number number_of(std::string_view text) {
    std::lock_guard const lock(mutex_);
    auto const known = numbers_.find(text);
    if (known != numbers_.end()) return known->second;
    auto const number = static_cast<Number>(texts_.size());
    numbers_.emplace(text, number);
    texts_.emplace_back(text);
    return number;
  }
  [[nodiscard]] std::vector<std::string> const& all() const { return texts_; }

 private:
  std::mutex mutex_;
  TextMap<Number> numbers_;
  std::vector<std::string> texts_;
};

}  // namespace mpisee_through
