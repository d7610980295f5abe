#include "report/page.hpp"

namespace mpisee_through {

Page const page{};

}  // namespace mpisee_through
