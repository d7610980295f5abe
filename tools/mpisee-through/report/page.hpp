#pragma once

#include <string_view>

namespace mpisee_through {

// The page without data, in two parts: the data goes between them. Empty in a tool that was built without it. Written
// by the build, from page/ or from no_page.cpp.
struct Page {
  std::string_view before_data;
  std::string_view after_data;
};
extern Page const page;

}  // namespace mpisee_through
