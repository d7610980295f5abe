#include "text/columns.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using mpisee_through::Columns;

TEST_CASE("columns align left and right, by characters") {
  using enum Columns::Align;
  Columns columns(2, {{"Call", left}, {"Time", right}, {"Note", left}});
  columns.fit({"Allreduce", "12.35 µs"});
  CHECK(columns.width() == 2 + 9 + 2 + 8 + 2 + 4);
  std::ostringstream out;
  columns.print_titles(out);
  columns.print(out, {"Send", "12.35 µs", "x"});
  columns.print(out, {"Allreduce", "1 s", ""});
  CHECK(out.str() ==
        "  Call           Time  Note\n"
        "  Send       12.35 µs  x\n"
        "  Allreduce       1 s\n");
}
