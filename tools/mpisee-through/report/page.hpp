#pragma once

#include <ostream>
#include <string_view>

namespace mpisee_through {

// A page without data, in two parts: the data goes between them. Empty in a tool that was built without it. Written by
// the build, from page/ or from no_page.cpp.
struct Page {
  std::string_view before_data;
  std::string_view after_data;

  [[nodiscard]] bool is_there() const { return !before_data.empty(); }
};
extern Page const page;       // a report
extern Page const view_page;  // a view

void write_page(std::ostream& out, Page const& around, std::string_view json);

// Why a tool without pages cannot write one.
inline constexpr std::string_view no_page_text =
    "this mpisee-through was built without the page, because there was no npm";

}  // namespace mpisee_through
