// The head of every JSON document of this tool.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "files/json.hpp"
#include "summary/summary.hpp"
#include "table/json_document.hpp"

namespace mpisee_through {

// Kinds and numbers as an object.
[[nodiscard]] Json counts(std::vector<std::pair<std::string, std::uint64_t>> const& kinds);

[[nodiscard]] Json head(Overview const& overview);
[[nodiscard]] Json head_of(Summary const& summary);

}  // namespace mpisee_through
