#include "report/page.hpp"

namespace mpisee_through {

PageFrame const page_frame{};

}  // namespace mpisee_through
