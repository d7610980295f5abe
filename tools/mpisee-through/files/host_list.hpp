#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpisee_through {

// The names in Slurm's notation: "node[01-16,20],login1". Nothing for malformed text, or for more than a million names.
[[nodiscard]] std::optional<std::vector<std::string>> expand_host_list(std::string_view list);

}  // namespace mpisee_through
