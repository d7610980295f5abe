#pragma once

#include <string>

#include "report/report_data.hpp"

namespace mpisee_through {

// The data as the page's script reads it (page/src/profile.js), safe inside a script element: it holds no "<".
[[nodiscard]] std::string to_json(ReportData const& data);

}  // namespace mpisee_through
