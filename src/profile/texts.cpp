#include "profile/texts.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace commprof {

NameHash name_hash(std::string_view name) {
  std::uint64_t const hash = hash_of(name);
  return static_cast<NameHash>(hash == 0 ? 1 : hash);
}

bool Texts::add(std::string_view text) {
  NameHash const key = name_hash(text.substr(0, text.find(end_of_key_)));
  if (contains(key)) return true;
  std::size_t const before = all_.size();
  if (!all_.resize(before + text.size() + 1)) return false;
  std::copy(text.begin(), text.end(), all_.begin() + before);
  all_.begin()[before + text.size()] = end_;
  Place const place{static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(text.size())};
  if (places_.add(key, place) != nullptr) return true;
  all_.resize(before);
  return false;
}

bool Texts::add_all(std::string_view texts) {
  bool is_whole = true;
  for_each_in(texts, [&](std::string_view text) { is_whole = add(text) && is_whole; });
  return is_whole;
}

std::string_view Texts::text(NameHash hash) const {
  Place const* const place = places_.find(hash);
  return place == nullptr ? std::string_view{} : view().substr(place->offset, place->length);
}

void Texts::keep(PageVector<NameHash> const& used) {
  std::size_t kept = 0;
  for_each([&](std::string_view text) {
    if (!std::binary_search(used.begin(), used.end(), name_hash(text))) return;
    std::copy(text.data(), text.data() + text.size() + 1, all_.begin() + kept);
    kept += text.size() + 1;
  });
  all_.resize(kept);
}

}  // namespace commprof
