#include "profile/texts.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace commprof {

bool Texts::add(std::string_view text) {
  std::uint64_t const key = std::max<std::uint64_t>(hash_of(text.substr(0, text.find(end_of_key_))), 1);
  if (taken_.find(key) != nullptr) return true;
  if (taken_.add(key) == nullptr) return false;
  std::size_t const before = all_.size();
  if (!all_.resize(before + text.size() + 1)) return false;
  std::copy(text.begin(), text.end(), all_.begin() + before);
  all_.begin()[before + text.size()] = end_;
  return true;
}

bool Texts::add_all(std::string_view texts) {
  bool is_whole = true;
  for_each_in(texts, [&](std::string_view text) { is_whole = add(text) && is_whole; });
  return is_whole;
}

NameHash name_hash(std::string_view name) {
  std::uint64_t const hash = hash_of(name);
  return static_cast<NameHash>(hash == 0 ? 1 : hash);
}

void SummedNames::keep(PageVector<NameHash> const& used) {
  texts_.keep_if([&](std::string_view name) { return std::binary_search(used.begin(), used.end(), name_hash(name)); });
}

bool SummedNames::order() {
  bool is_whole = true;
  places_.clear();
  texts_.for_each([&](std::string_view name) {
    auto const offset = static_cast<std::uint32_t>(name.data() - texts_.view().data());
    is_whole = places_.push_back({name_hash(name), offset, static_cast<std::uint32_t>(name.size())}) && is_whole;
  });
  std::sort(places_.begin(), places_.end(), [](Place const& a, Place const& b) { return a.hash < b.hash; });
  return is_whole;
}

SummedNames::Place const* SummedNames::find(NameHash hash) const {
  Place const* const place = std::lower_bound(places_.begin(), places_.end(), hash,
                                              [](Place const& known, NameHash wanted) { return known.hash < wanted; });
  return place != places_.end() && place->hash == hash ? place : nullptr;
}

std::string_view SummedNames::text(NameHash hash) const {
  Place const* const place = find(hash);
  return place == nullptr ? std::string_view{} : texts_.view().substr(place->offset, place->length);
}

}  // namespace commprof
