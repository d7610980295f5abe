// Names of hosts as Slurm writes them: node[01-16,20],login1.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpisee_through {

// In the order of the text; numbers keep their leading zeros. Nothing if the text is no such list, or has more than a
// million names.
[[nodiscard]] std::optional<std::vector<std::string>> expand_host_list(std::string_view text);

}  // namespace mpisee_through
