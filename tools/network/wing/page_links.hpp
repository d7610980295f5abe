// Adds the links of a network to the page of a profile.
#pragma once

#include <cstddef>

#include "fabric/links_view.hpp"
#include "report/report_data.hpp"

namespace mpisee_through {

// A limit for the speed of the page, which says what it leaves out.
inline constexpr std::size_t most_links = 200;

// The function with which read_report_data() reads the links. It throws ProfileError and SelectionError.
[[nodiscard]] LinksReader links_of_page(FabricSource source);

}  // namespace mpisee_through
