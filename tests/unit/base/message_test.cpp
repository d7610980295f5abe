#include "base/message.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

#include "support/captured_stderr.hpp"
#include "support/child.hpp"

using namespace commprof;

namespace {

std::string said(std::initializer_list<std::string_view> parts) {
  CapturedStderr captured;
  say(parts);
  return captured.text();
}

}  // namespace

TEST_CASE("a message is one line with the name of the profiler") {
  CHECK(said({"the disk is ", "full"}) == "commprof: the disk is full\n");
  CHECK(said({}) == "commprof: \n");
  CHECK(said({"", "a", ""}) == "commprof: a\n");
}

TEST_CASE("control characters in a message cannot reach the terminal") {
  CHECK(said({"a\nb\tc\rd"}) == "commprof: a?b?c?d\n");
  CHECK(said({"\x1b[31mred"}) == "commprof: ?[31mred\n");
  CHECK(said({std::string_view("\0\x01\x1f\x7f", 4)}) == "commprof: ????\n");
  // U+009B, which a terminal takes for the start of a control sequence like escape and bracket.
  std::string const line =
      said({"a\xc2\x9b"
            "31mred"});
  CHECK(line.find("\xc2\x9b") == std::string::npos);
  CHECK(line.substr(0, 11) == "commprof: a");
  CHECK(said({"caf\xc3\xa9 \xe2\x82\xac ~"}) == "commprof: caf\xc3\xa9 \xe2\x82\xac ~\n");  // letters stay
}

TEST_CASE("a message is cut off after 4 KiB, and still a line") {
  std::string const fits(4096 - 10 - 1, 'x');  // less the prefix "commprof: " and the newline
  CHECK(said({fits}) == "commprof: " + fits + "\n");
  CHECK(said({fits, "y"}) == "commprof: " + fits + "\n");
  CHECK(said({std::string(1'000'000, 'x'), "y"}) == "commprof: " + fits + "\n");
}

TEST_CASE("a message leaves errno as the program has it") {
  CapturedStderr captured;
  errno = EDOM;
  say({"text"});
  CHECK(errno == EDOM);
  close(STDERR_FILENO);
  errno = ERANGE;
  say({"text"});  // nowhere to go
  CHECK(errno == ERANGE);
}

TEST_CASE("a message that nobody reads any more does not end the program") {
  // As in: program 2>&1 | head -1
  ChildEnd const end = in_child([] {
    int ends[2];
    if (pipe(ends) != 0) return 1;
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    say({"profile written"});
    return 0;
  });
  CHECK(end.signal == 0);
  CHECK(end.exit_code == 0);
}
