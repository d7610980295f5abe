#include "profile/text_writer.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
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

std::string field(std::string_view text) {
  return written([&](TextWriter& out) { out.field(text); });
}

std::string json(std::string_view text) {
  return written([&](TextWriter& out) { out.json_string(text); });
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

// The fields of one CSV record by RFC 4180, section 2.
std::vector<std::string> parse_record(std::string const& record) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < record.size(); ++i) {
    char const c = record[i];
    if (quoted && c == '"' && i + 1 < record.size() && record[i + 1] == '"') fields.back() += record[++i];
    else if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) fields.emplace_back();
    else fields.back() += c;
  }
  if (quoted) throw std::runtime_error("a quote is open");
  return fields;
}

}  // namespace

TEST_CASE("numbers are in decimal, without anything between their digits") {
  CHECK(written([](TextWriter& out) { out.number(std::uint64_t{0}); }) == "0");
  CHECK(written([](TextWriter& out) { out.number(std::uint64_t{1234567}); }) == "1234567");
  CHECK(written([](TextWriter& out) { out.number(UINT64_MAX); }) == "18446744073709551615");
  CHECK(written([](TextWriter& out) { out.number(std::int64_t{0}); }) == "0");
  CHECK(written([](TextWriter& out) { out.number(std::int64_t{-1}); }) == "-1");
  CHECK(written([](TextWriter& out) { out.number(INT64_MAX); }) == "9223372036854775807");
  CHECK(written([](TextWriter& out) { out.number(INT64_MIN); }) == "-9223372036854775808");
}

TEST_CASE("seconds have nine decimals") {
  auto const seconds = [](std::uint64_t nanoseconds) {
    return written([&](TextWriter& out) { out.seconds(nanoseconds); });
  };
  CHECK(seconds(0) == "0.000000000");
  CHECK(seconds(1) == "0.000000001");
  CHECK(seconds(10) == "0.000000010");
  CHECK(seconds(999'999'999) == "0.999999999");
  CHECK(seconds(1'000'000'000) == "1.000000000");
  CHECK(seconds(1'234'567'890) == "1.234567890");
  CHECK(seconds(31'622'400'000'000'001) == "31622400.000000001");  // a leap year and a nanosecond
  CHECK(seconds(UINT64_MAX) == "18446744073.709551615");
}

TEST_CASE("calls can be chained") {
  CHECK(written([](TextWriter& out) {
          out.raw("a").number(std::uint64_t{1}).raw(",").seconds(5).raw(",").field("b,c").json_string("d");
        }) == "a1,0.000000005,\"b,c\"\"d\"");
}

TEST_CASE("a plain field stays as it is") {
  CHECK(field("") == "");
  CHECK(field("main") == "main");
  CHECK(field("0-63:2") == "0-63:2");
  CHECK(field("two words") == "two words");
  CHECK(field("it's; a\\b") == "it's; a\\b");
  CHECK(field("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80") == "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
}

TEST_CASE("a field is quoted where RFC 4180 wants it, and its quotes doubled") {
  CHECK(field("0-63,128-191") == "\"0-63,128-191\"");
  CHECK(field(",") == "\",\"");
  CHECK(field("say \"hi\"") == "\"say \"\"hi\"\"\"");
  CHECK(field("\"") == "\"\"\"\"");
  // "Spaces are considered part of a field": some readers trim them unless it is quoted.
  CHECK(field(" x") == "\" x\"");
  CHECK(field("x ") == "\"x \"");
  CHECK(field(" ") == "\" \"");
}

TEST_CASE("a field is one line of printable text") {
  CHECK(field("a\nb") == "a\\x0ab");
  CHECK(field("a\r\nb") == "a\\x0d\\x0ab");
  CHECK(field("\t") == "\\x09");
  CHECK(field(std::string_view("\0", 1)) == "\\x00");
  CHECK(field("\x1b[31m") == "\\x1b[31m");
  CHECK(field("\x7f") == "\\x7f");
  CHECK(field("\xc2\x9b"
              "31m") == "\\xc2\\x9b31m");  // U+009B, the control sequence introducer in one character
  CHECK(field("\xc2\xa0") == "\xc2\xa0");  // U+00A0, the first after the controls
  CHECK(field("\n,") == "\"\\x0a,\"");
}

TEST_CASE("bytes of a field that are no UTF-8 appear as their values") {
  CHECK(field("\xff") == "\\xff");
  CHECK(field("caf\xe9") == "caf\\xe9");     // Latin-1
  CHECK(field("\xe2\x82") == "\\xe2\\x82");  // cut off
  CHECK(field("\xe2\x82x") == "\\xe2\\x82x");
  CHECK(field("\xc0\xaf") == "\\xc0\\xaf");           // an overlong slash
  CHECK(field("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
  CHECK(field("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
  CHECK(field("\xc3\xa9\x80") == "\xc3\xa9\\x80");
}

TEST_CASE("fields of any bytes make a record that is read back") {
  std::mt19937 random(5);
  std::string const alphabet = "ab ,\"\\'\n\r\t;\xc3\xa9\xff";
  for (int repetition = 0; repetition < 3000; ++repetition) {
    std::vector<std::string> fields(1 + random() % 5);
    for (std::string& text : fields)
      for (std::size_t i = random() % 8; i > 0; --i) text += alphabet[random() % alphabet.size()];
    std::string const record = written([&](TextWriter& out) {
      for (std::size_t i = 0; i < fields.size(); ++i) out.raw(i == 0 ? "" : ",").field(fields[i]);
    });
    INFO(record);
    REQUIRE(record.find_first_of("\r\n") == std::string::npos);
    std::vector<std::string> const parsed = parse_record(record);
    REQUIRE(parsed.size() == fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      // Plain text is unchanged; other text becomes visible text.
      bool const plain = fields[i].find_first_of("\n\r\t\xc3\xa9\xff") == std::string::npos;
      if (plain) REQUIRE(parsed[i] == fields[i]);
    }
  }
}

TEST_CASE("a JSON string") {
  CHECK(json("") == "\"\"");
  CHECK(json("text") == "\"text\"");
  CHECK(json("a\"b\\c/d") == "\"a\\\"b\\\\c/d\"");
  CHECK(json("a\nb") == "\"a\\u000ab\"");
  CHECK(json(std::string_view("\0", 1)) == "\"\\u0000\"");
  CHECK(json("\x7f") == "\"\\u007f\"");
  CHECK(json("\xc2\x85") == "\"\\u0085\"");
  CHECK(json("caf\xc3\xa9") == "\"caf\xc3\xa9\"");
  CHECK(json("\xff") == "\"\xef\xbf\xbd\"");
  CHECK(json("\xe2\x82x") == "\"\xef\xbf\xbd\xef\xbf\xbdx\"");
}

TEST_CASE("a JSON parser reads back any valid UTF-8") {
  std::string text;
  for (unsigned code = 0; code < 0x80; ++code) text += static_cast<char>(code);
  text += "\xc2\x80 \xc2\x9f \xc2\xa0 \xc3\xa9 \xe2\x80\xa8 \xef\xbf\xbf \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf";
  CHECK(nlohmann::json::parse(json(text)).get<std::string>() == text);
}

TEST_CASE("a JSON parser reads what any bytes become") {
  std::mt19937 random(3);
  for (int repetition = 0; repetition < 5000; ++repetition) {
    std::string text;
    for (std::size_t i = random() % 12; i > 0; --i)
      text += static_cast<char>(random() % 4 == 0 ? random() % 128 : random());
    nlohmann::json const parsed = nlohmann::json::parse(json(text), nullptr, false);
    REQUIRE(parsed.is_string());
  }
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

TEST_CASE("the buffer is handed on when it is full, and the rest at the end") {
  std::vector<std::string> parts;
  char buffer[4];
  {
    TextWriter out(
        buffer, sizeof buffer,
        [](void* list, char const* text, std::size_t length) {
          static_cast<std::vector<std::string>*>(list)->emplace_back(text, length);
        },
        &parts);
    out.flush();
    CHECK(parts.empty());                   // nothing is no part
    out.raw("ab").raw("cdef").raw("ghij");  // a part is a full buffer, wherever the texts end
    CHECK(parts == std::vector<std::string>{"abcd", "efgh"});
    out.flush();
    CHECK(parts.size() == 3);
    out.raw("k");
  }
  CHECK(parts == std::vector<std::string>{"abcd", "efgh", "ij", "k"});
}

TEST_CASE("the length of a UTF-8 sequence") {
  CHECK(utf8_length("") == 0);
  CHECK(utf8_length("a") == 1);
  CHECK(utf8_length(std::string_view("\0", 1)) == 1);
  CHECK(utf8_length("\x7f") == 1);
  CHECK(utf8_length("abc") == 1);  // the first one's
  CHECK(utf8_length("\xc2\x80") == 2);
  CHECK(utf8_length("\xdf\xbf") == 2);
  CHECK(utf8_length("\xe0\xa0\x80") == 3);
  CHECK(utf8_length("\xef\xbf\xbf") == 3);
  CHECK(utf8_length("\xf0\x90\x80\x80") == 4);
  CHECK(utf8_length("\xf4\x8f\xbf\xbf") == 4);  // U+10FFFF, the last
}

TEST_CASE("a text is cut between its characters") {
  CHECK(whole_utf8("abc", 3) == "abc");
  CHECK(whole_utf8("abc", 2) == "ab");
  CHECK(whole_utf8("a漢字", 7) == "a漢字");  // 1 + 3 + 3 bytes
  for (std::size_t bytes : {4U, 5U, 6U}) CHECK(whole_utf8("a漢字", bytes) == "a漢");
  for (std::size_t bytes : {1U, 2U, 3U}) CHECK(whole_utf8("a漢字", bytes) == "a");
  CHECK(whole_utf8("a漢字", 0).empty());
  CHECK(whole_utf8("\x80\x80\x80\x80\x80\x80", 5).size() == 5);  // no UTF-8
}

TEST_CASE("what is no UTF-8 has no length") {
  CHECK(utf8_length("\x80") == 0);      // a continuation alone
  CHECK(utf8_length("\xc0\x80") == 0);  // overlong: U+0000 in two bytes
  CHECK(utf8_length("\xc1\xbf") == 0);
  CHECK(utf8_length("\xe0\x9f\xbf") == 0);      // overlong: U+07FF in three
  CHECK(utf8_length("\xf0\x8f\xbf\xbf") == 0);  // overlong: U+FFFF in four
  CHECK(utf8_length("\xed\xa0\x80") == 0);      // U+D800, the first surrogate
  CHECK(utf8_length("\xed\xbf\xbf") == 0);      // U+DFFF, the last
  CHECK(utf8_length("\xed\x9f\xbf") == 3);      // U+D7FF, before them
  CHECK(utf8_length("\xee\x80\x80") == 3);      // U+E000, after them
  CHECK(utf8_length("\xf4\x90\x80\x80") == 0);  // U+110000
  CHECK(utf8_length("\xf5\x80\x80\x80") == 0);
  CHECK(utf8_length("\xff") == 0);
  CHECK(utf8_length("\xc3") == 0);  // cut off
  CHECK(utf8_length("\xe2\x82") == 0);
  CHECK(utf8_length("\xf0\x9f\x98") == 0);
  CHECK(utf8_length("\xc3x") == 0);  // broken off
  CHECK(utf8_length("\xe2\x82x") == 0);
  CHECK(utf8_length("\xe2x\x82") == 0);
  CHECK(utf8_length("\xf0\x9f\x98x") == 0);
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

TEST_CASE("what is to be kept together is handed on in one piece") {
  std::vector<std::string> pieces;
  char buffer[8];
  {
    TextWriter out(
        buffer, sizeof buffer,
        [](void* seen, char const* text, std::size_t length) {
          static_cast<std::vector<std::string>*>(seen)->emplace_back(text, length);
        },
        &pieces);
    for (char const* const part : {"abc", "def", "ghi", "j"}) {
      out.keep_together(3);
      out.raw(part);
    }
  }
  CHECK(pieces == std::vector<std::string>{"abcdef", "ghij"});
}
