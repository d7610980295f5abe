#pragma once

#include <ostream>
#include <string_view>

#include "files/json.hpp"

namespace mpisee_through {

// Writes a JSON document with a list, a line for each member of it, without keeping the document in memory. The other
// members of the object come first.
class Document {
 public:
  Document(std::ostream& out, Json const& members, std::string_view list) : out_(out) {
    char const* before = "{";
    for (auto const& [name, value] : members.items()) {
      out_ << before << '"' << name << "\": " << value.dump();
      before = ",\n ";
    }
    out_ << before << '"' << list << "\": [";
  }
  void add(Json const& one) {
    out_ << before(empty_) << one.dump();
    empty_ = false;
  }
  // What stands before a member of a list: a line break, and a comma except before the first.
  [[nodiscard]] static std::string_view before(bool is_first) { return is_first ? "\n  " : ",\n  "; }
  ~Document() { out_ << "]}\n"; }
  Document(Document const&) = delete;
  Document& operator=(Document const&) = delete;

 private:
  std::ostream& out_;
  bool empty_ = true;
};

}  // namespace mpisee_through
