// Rows that several processes have, each taken once: the first one of each name of communicators.csv, and each
// different one of other files.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/hash_set.hpp"
#include "base/memory.hpp"
#include "profile/file.hpp"

namespace commprof {

class Offers {
 public:
  // Whole rows. Those that are taken follow the ones before them.
  void take(File file, std::string_view rows);
  void take(Offers const& later);

  // False if memory was used up: rows are missing.
  bool is_whole() const { return is_whole_; }
  void lose_some() { is_whole_ = false; }

  // visit(file, row)
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    char const* text = texts_.begin();
    for (Row const& row : rows_) {
      visit(row.file, std::string_view(text, row.length));
      text += row.length;
    }
  }

  // Its parts, to be sent and received.
  template <class Visitor>
  void visit_parts(Visitor&& visitor) {
    visitor(rows_);
    visitor(texts_);
  }
  // Whether the parts fit each other, after they were received.
  bool is_sound() const;

 private:
  struct Row {
    File file;
    std::uint32_t length;
  };

  PageVector<Row> rows_;
  PageVector<char> texts_;
  HashSet taken_;
  bool is_whole_ = true;
};

}  // namespace commprof
