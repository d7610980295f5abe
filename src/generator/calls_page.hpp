// Generates docs/calls.md from the call table.
#pragma once

#include <string>

namespace commprof::generator {

// The whole page in Markdown. Throws std::logic_error for a volume rule without a description.
std::string calls_page();

}  // namespace commprof::generator
