// A page without style and script: tests read the data in it.
#include "report/page.hpp"

namespace mpisee_through {

Page const page{R"(<!doctype html><script type="application/json" id="data">)", "</script>\n"};
Page const view_page = page;

}  // namespace mpisee_through
