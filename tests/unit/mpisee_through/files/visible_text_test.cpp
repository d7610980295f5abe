#include "files/visible_text.hpp"

#include <catch2/catch.hpp>

using mpisee_through::display_width;
using mpisee_through::visible;

TEST_CASE("printable UTF-8 is left as it is") {
  for (char const* text : {"", "W_s2.0", "a b~", "grid \"x\"", "Größe", "µ", "格子", "\xf0\x9f\x98\x80"}) {
    CHECK(visible(text) == text);
  }
}

TEST_CASE("control characters are shown and not sent") {
  CHECK(visible("\x1b[2Jx") == "\\x1b[2Jx");
  CHECK(visible("a\nb\rc\td") == "a\\x0ab\\x0dc\\x09d");
  CHECK(visible(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(visible("\x7f") == "\\x7f");
  CHECK(visible("\xc2\x9b") == "\\xc2\\x9b");  // U+009B, a one-character escape sequence
}

TEST_CASE("characters that reorder or break lines are shown and not sent") {
  CHECK(visible("a\xe2\x80\xae"
                "b") == "a\\xe2\\x80\\xaeb");           // U+202E right-to-left override
  CHECK(visible("\xe2\x80\xa8") == "\\xe2\\x80\\xa8");  // U+2028 line separator
  CHECK(visible("\xe2\x81\xa6") == "\\xe2\\x81\\xa6");  // U+2066 left-to-right isolate
  CHECK(visible("\xe2\x80\x93") == "\xe2\x80\x93");     // U+2013 en dash, a neighbour
}

TEST_CASE("what is not UTF-8 is shown byte by byte") {
  CHECK(visible("\xe9t\xe9") == "\\xe9t\\xe9");                // Latin-1
  CHECK(visible("\xc0\x80") == "\\xc0\\x80");                  // overlong NUL
  CHECK(visible("\xe0\x80\xaf") == "\\xe0\\x80\\xaf");         // overlong slash
  CHECK(visible("\xed\xa0\x80") == "\\xed\\xa0\\x80");         // a surrogate
  CHECK(visible("\xf4\x90\x80\x80").substr(0, 4) == "\\xf4");  // beyond U+10FFFF
  CHECK(visible("\xe2\x80") == "\\xe2\\x80");                  // ends in the middle
  CHECK(visible("\x80") == "\\x80");
}

TEST_CASE("width counts characters and not bytes") {
  CHECK(display_width("") == 0);
  CHECK(display_width("12 ms") == 5);
  CHECK(display_width("12 µs") == 5);
  CHECK(display_width("▇▇ ±×") == 5);
  CHECK(display_width("格子") == 4);  // East Asian characters take two columns
  CHECK(display_width("한국어 grid") == 11);
  CHECK(display_width("e\u0301t\u00e9") == 3);  // with a combining accent
}

TEST_CASE("a text that is too wide loses its end, or its beginning") {
  CHECK(mpisee_through::shorten("größe, grid.c:49", 16) == "größe, grid.c:49");
  CHECK(mpisee_through::shorten("größe, grid.c:49", 8) == "größe...");
  CHECK(mpisee_through::shorten_beginning("größe, grid.c:49", 16) == "größe, grid.c:49");
  CHECK(mpisee_through::shorten_beginning("größe, grid.c:49", 15) == "...e, grid.c:49");
  CHECK(mpisee_through::shorten("格子計算", 7) == "格子...");
  CHECK(mpisee_through::shorten("格子計算", 6) == "格...");
  CHECK(mpisee_through::shorten_beginning("格子計算", 7) == "...計算");
}

TEST_CASE("a call site is cut where it answers least") {
  std::string const one = "Foam::UPstream::waitRequests, libPstream.so+0x9acf";
  CHECK(mpisee_through::shorten_site(one, 50) == one);
  CHECK(mpisee_through::shorten_site(one, 49) == "Foam::UPstream::waitRequests");
  CHECK(mpisee_through::shorten_site(one, 28) == "Foam::UPstream::waitRequests");
  CHECK(mpisee_through::shorten_site(one, 24) == "...Pstream::waitRequests");
  CHECK(mpisee_through::shorten_site("exchange_of_everything, grid.c:88", 20) == "...ything, grid.c:88");
  CHECK(mpisee_through::shorten_site("exchange, a_file_with_a_long_name.c:88", 20) == "..._a_long_name.c:88");
  std::string const chain = "MatMult, libpetsc.so+0x12 < KSPSolve, libpetsc.so+0x34 < step, step.c:9 < main, main.c:7";
  CHECK(mpisee_through::shorten_site(chain, 60) == "MatMult < KSPSolve < step, step.c:9 < main, main.c:7");
  CHECK(mpisee_through::shorten_site(chain, 40) == "MatMult < ... < main, main.c:7");
  CHECK(mpisee_through::shorten_site(chain, 20) == "MatMult");
  CHECK(mpisee_through::shorten_site("libc.so+0x1234567", 12) == "...0x1234567");
}
