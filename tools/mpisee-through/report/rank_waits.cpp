#include "report/rank_waits.hpp"

namespace mpisee_through {

// Profiles hold the time of calls, and not how much of it was waiting.
std::vector<double> seconds_waited(Profile const& /*profile*/) { return {}; }

}  // namespace mpisee_through
