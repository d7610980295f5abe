// The links of a network on the page of a profile.
#pragma once

#include <cstddef>

#include "fabric/links_view.hpp"
#include "report/report_data.hpp"

namespace mpisee_through {

// Beyond these, the page would be slow; it says what it leaves out.
inline constexpr std::size_t most_links = 200;

// What read_report_data() reads of a network. The reader throws ProfileError and SelectionError.
[[nodiscard]] LinksReader links_of_page(FabricSource source);

}  // namespace mpisee_through
