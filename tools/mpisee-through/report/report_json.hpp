#pragma once

#include <string>

#include "report/report_data.hpp"

namespace mpisee_through {

// The data for the page's script (page/src/profile.js). It contains no "<", so it is safe inside a script element.
[[nodiscard]] std::string to_json(ReportData const& data);

}  // namespace mpisee_through
