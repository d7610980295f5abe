// Writes scaling, and the history of commits, as a page for the browser: the documents of --json, and the tables of
// text.
#pragma once

#include <ostream>

#include "table/document.hpp"

namespace mpisee_through {

// history: may be null.
void write_page(std::ostream& out, Document const& scaling, Document const* history);

}  // namespace mpisee_through
