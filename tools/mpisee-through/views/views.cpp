#include "views/views.hpp"

#include "views/forms.hpp"

namespace mpisee_through {

void show(std::ostream& out, Summary const& summary, View view, Format format, Arrangement const& arrangement) {
  switch (format) {
    case Format::csv:
      return write_csv(out, summary, view, arrangement);
    case Format::json:
      return write_json(out, summary, view, arrangement);
    case Format::text:
      break;
  }
  print_head(out, summary);
  out << '\n';
  switch (view) {
    case View::communicators:
      return print_communicators(out, summary, arrangement);
    case View::tree:
      return print_tree(out, summary, arrangement);
  }
}

}  // namespace mpisee_through
