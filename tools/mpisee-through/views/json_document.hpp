// What all JSON of this tool has: the head, and a list of which each member is written as soon as it is made.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/json.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

// Kinds and numbers as an object.
[[nodiscard]] Json counts(std::vector<std::pair<std::string, std::uint64_t>> const& kinds);

[[nodiscard]] Json head(Overview const& overview);
[[nodiscard]] Json head_of(Summary const& summary);

void add_site(Json& object, Summary const& summary, CallSiteIndex index);

// A line for each member of the list, written as soon as it is made: the document as a whole never is in memory. The
// members of the object come before it.
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
    out_ << (empty_ ? "\n  " : ",\n  ") << one.dump();
    empty_ = false;
  }
  ~Document() { out_ << "]}\n"; }
  Document(Document const&) = delete;
  Document& operator=(Document const&) = delete;

 private:
  std::ostream& out_;
  bool empty_ = true;
};

}  // namespace mpisee_through
