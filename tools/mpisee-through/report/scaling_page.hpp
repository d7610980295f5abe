// Writes scaling as a page for the browser: the document of --json, and the table of text.
#pragma once

#include <ostream>

#include "table/document.hpp"

namespace mpisee_through {

void write_scaling_page(std::ostream& out, Document const& scaling);

}  // namespace mpisee_through
