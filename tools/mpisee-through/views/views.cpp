#include "views/views.hpp"

#include <sstream>

#include "views/forms.hpp"

namespace mpisee_through {
namespace {

bool is_empty(table::Table const& table) { return table.lines == 0; }
bool is_empty(table::Nested const& nested) { return nested.inner.lines == 0; }

// Writes {"head", "table", "below"}, where head and below are the text around the table.
template <class Shown, class Around>
void write_page_part(std::ostream& out, Shown const& shown, Around const& around) {
  std::ostringstream head, below;
  if (around.above) around.above(head);
  if (around.below) around.below(below);
  out << Json{{"head", std::move(head).str()}, {"table", page_table(shown)}, {"below", std::move(below).str()}}.dump()
      << '\n';
}

template <class Shown, class Around>
void write_part(std::ostream& out, Shown const& shown, Around const& around, table::TextLayout const& layout) {
  if (around.above) around.above(out);
  if (is_empty(shown) && !around.if_empty.empty()) out << around.if_empty;
  else write_text(out, shown, layout);
  if (around.below) around.below(out);
}

template <class Shown>
void show_form(std::ostream& out, Format format, Shown const& shown, AroundTable const& around,
               table::TextLayout const& layout) {
  if (format == Format::csv) return write_csv(out, shown);
  if (format == Format::json) return write_json(out, shown, around.members());
  if (format == Format::html) return write_page_part(out, shown, around);
  write_part(out, shown, around, layout);
}

}  // namespace

void show(std::ostream& out, Format format, table::Table const& table, AroundTable const& around,
          table::TextLayout const& layout) {
  show_form(out, format, table, around, layout);
}

void show(std::ostream& out, Format format, table::Nested const& nested, AroundTable const& around,
          table::TextLayout const& layout) {
  show_form(out, format, nested, around, layout);
}

void show_parts(std::ostream& out, Format format, std::vector<TablePart> const& parts) {
  for (TablePart const& part : parts) {
    if (format == Format::html) {
      write_page_part(out, part.table, part);
      continue;
    }
    if (&part != &parts.front()) out << '\n';
    write_part(out, part.table, part, part.layout);
  }
}

AroundTable around_tables(Summary const& summary) {
  AroundTable around;
  around.members = [&] { return Json{{"run", head_of(summary)}}; };
  around.above = [&](std::ostream& text) {
    print_head(text, summary);
    text << '\n';
  };
  return around;
}

void show(std::ostream& out, FirstScreen const& screen, Format format, Terminal const& terminal) {
  if (format == Format::csv) return write_csv(out, screen);
  if (format == Format::json) return write_json(out, screen);
  print_first_screen(out, screen, terminal);
}

}  // namespace mpisee_through
