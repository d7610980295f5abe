#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpisee_through {

// The names in a list as Slurm writes it: "node[01-16,20],login1". Nothing if it is none, or names more than a million.
[[nodiscard]] std::optional<std::vector<std::string>> expand_host_list(std::string_view list);

}  // namespace mpisee_through
