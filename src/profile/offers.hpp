// Rows that several processes send, each kept once: the first row of each name in communicators.csv, and each distinct
// row of other files.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/hash_set.hpp"
#include "base/memory.hpp"
#include "profile/file.hpp"

namespace commprof {

class Offers {
 public:
  // Appends the new ones among these rows, which must be whole.
  void take(File file, std::string_view rows);
  void take(Offers const& later);

  // False if rows are missing for lack of memory.
  bool is_whole() const { return is_whole_; }
  void lose_some() { is_whole_ = false; }

  // Calls visit(file, row) for each row.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    char const* text = texts_.begin();
    for (Row const& row : rows_) {
      visit(row.file, std::string_view(text, row.length));
      text += row.length;
    }
  }

  // Visits the parts to send or receive.
  template <class Visitor>
  void visit_parts(Visitor&& visitor) {
    visitor(rows_);
    visitor(texts_);
  }
  // Checks received parts for consistency.
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
