#include <cstddef>
#include <stdexcept>

#include "report/page.hpp"

namespace mpisee_through {

void require_page() {
  if (page.before_data.empty())
    throw std::runtime_error("this mpisee-through was built without the page: configure with -DCOMMPROF_REPORT=ON");
}

// Escapes "<", which JSON has only in texts: it could begin the end tag of the element that contains the data.
void write_page(std::ostream& out, Page const& around, std::string_view json) {
  out << around.before_data;
  while (true) {
    std::size_t const end = json.find('<');
    out << json.substr(0, end);
    if (end == json.npos) break;
    out << "\\u003c";
    json.remove_prefix(end + 1);
  }
  out << around.after_data;
}

}  // namespace mpisee_through
