// Texts that many processes have, each kept once: rows of files, and names, which sums contain as hashes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/hash.hpp"
#include "base/index.hpp"
#include "base/memory.hpp"

namespace commprof {

// The hash of a name. `several` stands for more than one name.
enum class NameHash : std::uint64_t { several = 0 };
inline NameHash name_hash(std::string_view name) {
  std::uint64_t const hash = hash_of(name);
  return static_cast<NameHash>(hash == 0 ? 1 : hash);
}

// Functions that return a bool return false if memory is used up.
class Texts {
 public:
  // end: the character after each text, which none contains. end_of_key: ends what identifies a text.
  explicit Texts(char end = '\0', char end_of_key = '\0') : end_(end), end_of_key_(end_of_key) {}
  Texts(Texts const&) = delete;
  Texts& operator=(Texts const&) = delete;
  ~Texts() { places_.release(); }

  // Appends a text if it is new.
  bool add(std::string_view text) {
    NameHash const key = name_hash(text.substr(0, text.find(end_of_key_)));
    std::size_t const before = all_.size();
    if (contains(key)) return true;
    if (!all_.resize(before + text.size() + 1)) return false;
    std::copy(text.begin(), text.end(), all_.begin() + before);
    all_.begin()[before + text.size()] = end_;
    Place const place{static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(text.size())};
    if (places_.add(key, place) != nullptr) return true;
    all_.resize(before);
    return false;
  }
  bool add(Texts const& others) { return add_all(others.view()); }
  // Appends the new ones of several texts, each with its end.
  bool add_all(std::string_view texts) {
    bool is_whole = true;
    for_each_in(texts, [&](std::string_view text) { is_whole = add(text) && is_whole; });
    return is_whole;
  }

  bool contains(NameHash hash) const { return places_.find(hash) != nullptr; }
  // The text that was added with this hash; empty if there is none.
  std::string_view text(NameHash hash) const {
    Place const* const place = places_.find(hash);
    return place == nullptr ? std::string_view{} : view().substr(place->offset, place->length);
  }

  // Calls visit(text) for each text, without its end, in the order in which they came.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for_each_in(view(), visit);
  }
  // All texts, each with its end.
  std::string_view view() const { return {all_.begin(), all_.size()}; }
  // Visits the part to send or receive. What is received can be added to others, not searched.
  template <class Visitor>
  void visit(Visitor&& visitor) {
    visitor(all_);
  }

 private:
  struct Place {
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
  };

  template <class Visitor>
  void for_each_in(std::string_view texts, Visitor&& visit) const {
    while (!texts.empty()) {
      std::string_view const text = texts.substr(0, texts.find(end_));
      texts.remove_prefix(std::min(text.size() + 1, texts.size()));
      visit(text);
    }
  }

  char end_, end_of_key_;
  PageVector<char> all_;
  Index<NameHash, Place, IndexByHash> places_;  // by the hash of what identifies a text
};

}  // namespace commprof
