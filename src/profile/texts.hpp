// Texts that many processes have, each kept once: rows of files, and names, which sums contain as hashes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/index.hpp"
#include "base/memory.hpp"

namespace commprof {

// Functions that return a bool return false if memory is used up.
class Texts {
 public:
  // end: the character after each text, which none contains. end_of_key: ends what identifies a text.
  explicit Texts(char end = '\0', char end_of_key = '\0') : end_(end), end_of_key_(end_of_key) {}
  Texts(Texts const&) = delete;
  Texts& operator=(Texts const&) = delete;
  ~Texts() { taken_.release(); }

  // Appends a text if it is new.
  bool add(std::string_view text);
  bool add(Texts const& others) { return add_all(others.view()); }

  // Appends the new ones of several texts, each with its end.
  bool add_all(std::string_view texts);
  // Drops the texts for which is_kept(text) is false. They count as known all the same.
  template <class IsKept>
  void keep_if(IsKept&& is_kept) {
    std::size_t kept = 0;
    for_each([&](std::string_view text) {
      if (!is_kept(text)) return;
      std::copy(text.data(), text.data() + text.size() + 1, all_.begin() + kept);
      kept += text.size() + 1;
    });
    all_.resize(kept);
  }
  // Calls visit(text) for each text, without its end, in the order in which they came.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for_each_in(view(), visit);
  }
  // All texts, each with its end.
  std::string_view view() const { return {all_.begin(), all_.size()}; }
  // Visits the part to send or receive.
  template <class Visitor>
  void visit(Visitor&& visitor) {
    visitor(all_);
  }

 private:
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
  Index<std::uint64_t, bool, IndexByHash> taken_;  // hashes of what identifies a text
};

// The hash of a name. `several` stands for more than one name.
enum class NameHash : std::uint64_t { several = 0 };
NameHash name_hash(std::string_view name);

class SummedNames {
 public:
  bool add(std::string_view name) { return texts_.add(name); }
  bool add(SummedNames const& others) { return texts_.add(others.texts_); }
  // Drops the names whose hashes are not in the sorted array.
  void keep(PageVector<NameHash> const& used);

  // Must follow the last add(), and precede contains() and text().
  bool order();
  bool contains(NameHash hash) const { return find(hash) != nullptr; }
  // The text of a name; empty if it is unknown.
  std::string_view text(NameHash hash) const;

  // Visits the parts to send or receive.
  template <class Visitor>
  void visit(Visitor&& visitor) {
    texts_.visit(visitor);
  }

 private:
  struct Place {
    NameHash hash{};
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
  };

  Place const* find(NameHash hash) const;

  Texts texts_;
  PageVector<Place> places_;  // sorted by hash
};

}  // namespace commprof
