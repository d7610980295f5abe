#include "profile/text_writer.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace commprof;

namespace {

void append_to_string(void* text, char const* part, std::size_t length) {
  static_cast<std::string*>(text)->append(part, length);
}

template <class Write>
std::string written(Write const& write, std::size_t capacity = 4096) {
  std::string text;
  std::vector<char> buffer(capacity);
  {
    TextWriter out(buffer.data(), capacity, append_to_string, &text);
    write(out);
  }
  return text;
}

// The UTF-8 of RFC 3629, section 4, word for word: the length of the sequence at the start of a text of up to four
// bytes.
std::size_t length_by_rfc_3629(std::vector<unsigned char> const& text) {
  auto const in = [&](std::size_t i, unsigned first, unsigned last) {
    return i < text.size() && text[i] >= first && text[i] <= last;
  };
  auto const tail = [&](std::size_t i) { return in(i, 0x80, 0xbf); };
  if (in(0, 0x00, 0x7f)) return 1;                                  // UTF8-1
  if (in(0, 0xc2, 0xdf) && tail(1)) return 2;                       // UTF8-2
  if (in(0, 0xe0, 0xe0) && in(1, 0xa0, 0xbf) && tail(2)) return 3;  // UTF8-3
  if (in(0, 0xe1, 0xec) && tail(1) && tail(2)) return 3;
  if (in(0, 0xed, 0xed) && in(1, 0x80, 0x9f) && tail(2)) return 3;
  if (in(0, 0xee, 0xef) && tail(1) && tail(2)) return 3;
  if (in(0, 0xf0, 0xf0) && in(1, 0x90, 0xbf) && tail(2) && tail(3)) return 4;  // UTF8-4
  if (in(0, 0xf1, 0xf3) && tail(1) && tail(2) && tail(3)) return 4;
  if (in(0, 0xf4, 0xf4) && in(1, 0x80, 0x8f) && tail(2) && tail(3)) return 4;
  return 0;
}

}  // namespace

TEST_CASE("numbers are in decimal, and seconds have nine decimals") {
  CHECK(written([](TextWriter& out) { out.number(UINT64_MAX); }) == "18446744073709551615");
  CHECK(written([](TextWriter& out) { out.number(std::uint64_t{0}).raw(",").number(std::int64_t{-1}); }) == "0,-1");
  CHECK(written([](TextWriter& out) { out.number(INT64_MIN); }) == "-9223372036854775808");
  std::pair<std::uint64_t, char const*> const seconds[] = {{0, "0.000000000"},
                                                           {10, "0.000000010"},
                                                           {999'999'999, "0.999999999"},
                                                           {1'000'000'000, "1.000000000"},
                                                           {31'622'400'000'000'001, "31622400.000000001"},
                                                           {UINT64_MAX, "18446744073.709551615"}};
  for (auto const& [nanoseconds, text] : seconds)
    CHECK(written([ns = nanoseconds](TextWriter& out) { out.seconds(ns); }) == text);
}

TEST_CASE("a field is one line of printable text, quoted where RFC 4180 wants it") {
  std::pair<std::string, std::string> const fields[] = {
      {"", ""},
      {"it's; a\\b", "it's; a\\b"},
      {"0-63,128-191", "\"0-63,128-191\""},
      {"say \"hi\"", "\"say \"\"hi\"\"\""},
      {" x", "\" x\""},  // some readers trim blanks unless they are quoted
      {"x ", "\"x \""},
      {"a\r\nb", "a\\x0d\\x0ab"},
      {{"\0", 1}, "\\x00"},
      {"\x1b[31m\x7f", "\\x1b[31m\\x7f"},
      {"\xc2\x9b"
       "31m",
       "\\xc2\\x9b31m"},                                 // U+009B, the control sequence introducer in one character
      {"\xc2\xa0\xe2\x82\xac", "\xc2\xa0\xe2\x82\xac"},  // U+00A0, the first after the controls
      {"\n,", "\"\\x0a,\""},
      {"caf\xe9", "caf\\xe9"},               // Latin-1
      {"\xe2\x82x", "\\xe2\\x82x"},          // broken off
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"}};  // a surrogate
  for (auto const& [text, expected] : fields) CHECK(written([&](TextWriter& out) { out.field(text); }) == expected);
}

TEST_CASE("the size of the buffer does not show in the output") {
  auto const write = [](TextWriter& out) {
    for (std::uint64_t i = 0; i < 20; ++i) {
      out.field("caf\xc3\xa9, \"x\"\n\xff")
          .raw(",")
          .number(i * 999'999'999'999)
          .raw(",")
          .number(-static_cast<std::int64_t>(i));
      out.raw(",").seconds(i * 123'456'789).raw(",").json_string("\"\x01\xe2\x82\xac\xfe").raw("\n");
      out.raw("").field("");
    }
  };
  std::string const expected = written(write);
  REQUIRE(expected.size() > 20 * 64);
  for (std::size_t capacity = 1; capacity <= 64; ++capacity) {
    INFO("a buffer of " << capacity);
    CHECK(written(write, capacity) == expected);
  }
}

TEST_CASE("a text is cut between its characters") {
  CHECK(whole_utf8("abc", 2) == "ab");
  std::string_view const whole[] = {"", "a", "a", "a", "a漢", "a漢", "a漢", "a漢字"};  // 1 + 3 + 3 bytes
  for (std::size_t bytes = 0; bytes < 8; ++bytes) CHECK(whole_utf8("a漢字", bytes) == whole[bytes]);
  CHECK(whole_utf8("\x80\x80\x80\x80\x80\x80", 5).size() == 5);  // no UTF-8
}

TEST_CASE("every pair of bytes, and what may follow it, is judged as RFC 3629 does") {
  std::size_t different = 0;
  auto const compare = [&](std::vector<unsigned char> const& bytes) {
    std::string_view const text(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    if (utf8_length(text) != length_by_rfc_3629(bytes)) ++different;
  };
  std::vector<unsigned char> const edges{0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
  for (unsigned a = 0; a < 256; ++a) {
    auto const first = static_cast<unsigned char>(a);
    compare({first});
    for (unsigned b = 0; b < 256; ++b) {
      auto const second = static_cast<unsigned char>(b);
      compare({first, second});
      for (unsigned char const third : edges) {
        compare({first, second, third});
        for (unsigned char const fourth : edges) compare({first, second, third, fourth});
      }
    }
  }
  CHECK(different == 0);
}
