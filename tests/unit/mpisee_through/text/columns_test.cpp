#include "text/columns.hpp"

#include <catch2/catch.hpp>
#include <sstream>
#include <string_view>
#include <vector>

using mpisee_through::Columns;

TEST_CASE("columns align left and right, by characters") {
  using namespace mpisee_through::align;
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

TEST_CASE("lines that are kept come back in order, cell by cell") {
  using Cells = std::vector<std::string_view>;
  mpisee_through::KeptLines lines;
  lines.add({"Send", "12.35 µs", ""});
  lines.add({});
  lines.add({"", "1\ns"});
  lines.add({"Send", ""});
  CHECK(lines.next() == Cells{"Send", "12.35 µs", ""});
  CHECK(lines.next().empty());
  CHECK(lines.next() == Cells{"", "1\ns"});

  using namespace mpisee_through::align;
  std::ostringstream out;
  Columns columns(0, {{"Call", left}, {"Time", right}});
  columns.print(out, lines);
  CHECK(out.str() == "Send\n");
}

TEST_CASE("a column is cut so that lines fit") {
  using namespace mpisee_through::align;
  auto const line = [](std::size_t width) {
    Columns columns(0, {{"Size", right}, {"Made by", left}});
    columns.fit({"2", "Comm_split at größe.c:49"});
    columns.cut(1, width);
    std::ostringstream out;
    columns.print(out, {"2", "Comm_split at größe.c:49"});
    return out.str();
  };
  CHECK(line(30) == "   2  Comm_split at größe.c:49\n");
  CHECK(line(29) == "   2  Comm_split at größe....\n");
  CHECK(line(24) == "   2  Comm_split at g...\n");
  CHECK(line(1) == "   2  Comm_spli...\n");  // it keeps 12
}
