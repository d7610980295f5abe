#include "report/page.hpp"

namespace mpisee_through {

Page const page{};
Page const view_page{};

}  // namespace mpisee_through
