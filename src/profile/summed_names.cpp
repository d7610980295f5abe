#include "profile/summed_names.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace commprof {

NameHash name_hash(std::string_view name) {
  std::uint64_t const hash = hash_of(name);
  return static_cast<NameHash>(hash == 0 ? 1 : hash);
}

SummedNames::Name const* SummedNames::place_of(NameHash hash) const {
  return std::lower_bound(names_.begin(), names_.end(), hash,
                          [](Name const& known, NameHash wanted) { return known.hash < wanted; });
}

SummedNames::Name const* SummedNames::find(NameHash hash) const {
  Name const* const place = place_of(hash);
  return place != names_.end() && place->hash == hash ? place : nullptr;
}

bool SummedNames::add(NameHash hash, std::string_view text) {
  Name const* const place = place_of(hash);
  if (place != names_.end() && place->hash == hash) return true;
  auto const index = place - names_.begin();
  std::size_t const offset = texts_.size();
  if (!texts_.resize(offset + text.size()) || !names_.push_back({})) return false;
  std::copy(text.begin(), text.end(), texts_.begin() + offset);
  std::copy_backward(names_.begin() + index, names_.end() - 1, names_.end());
  names_.begin()[index] = {hash, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(text.size())};
  return true;
}

bool SummedNames::add(SummedNames const& others) {
  bool is_whole = true;
  for (Name const& name : others.names_) is_whole = add(name.hash, others.text(name.hash)) && is_whole;
  return is_whole;
}

// Checks bounds: received data may be inconsistent.
std::string_view SummedNames::text(NameHash hash) const {
  Name const* const name = find(hash);
  bool const is_there = name != nullptr && std::size_t{name->offset} + name->length <= texts_.size();
  return is_there ? std::string_view(texts_.begin() + name->offset, name->length) : std::string_view{};
}

void SummedNames::reserve(SummedNames const& a, SummedNames const& b) {
  names_.reserve(a.names_.size() + b.names_.size());
  texts_.reserve(a.texts_.size() + b.texts_.size());
}

void SummedNames::clear() {
  names_.clear();
  texts_.clear();
}

void SummedNames::swap(SummedNames& other) {
  names_.swap(other.names_);
  texts_.swap(other.texts_);
}

}  // namespace commprof
