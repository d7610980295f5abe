// Names in sums over processes: identified by 64-bit hashes, with their texts.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/memory.hpp"

namespace commprof {

// The hash of a name. `several` stands for more than one name.
enum class NameHash : std::uint64_t { several = 0 };
NameHash name_hash(std::string_view name);

class SummedNames {
 public:
  // Adds the name if it is new. False without memory.
  bool add(NameHash hash, std::string_view text);
  bool add(std::string_view text) { return add(name_hash(text), text); }
  bool add(SummedNames const& others);

  bool contains(NameHash hash) const { return find(hash) != nullptr; }
  // The text of a name; empty if unknown.
  std::string_view text(NameHash hash) const;

  void reserve(SummedNames const& a, SummedNames const& b);
  void clear();
  void swap(SummedNames& other);

  // Visits the parts to send or receive.
  template <class Visitor>
  void visit(Visitor&& visitor) {
    visitor(names_);
    visitor(texts_);
  }

 private:
  struct Name {
    NameHash hash{};
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
  };

  Name const* place_of(NameHash hash) const;  // the entry of the hash, or the next one
  Name const* find(NameHash hash) const;

  PageVector<Name> names_;  // sorted by hash
  PageVector<char> texts_;
};

}  // namespace commprof
