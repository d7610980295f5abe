// A page without style and script: tests read the data in it.
#include "report/page.hpp"

namespace mpisee_through {

PageFrame const page_frame{R"(<!doctype html><script type="application/json" id="data">)", "</script>\n"};

}  // namespace mpisee_through
