#include "reader/csv_file.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <string_view>

using namespace mpisee_through;
using namespace std::string_view_literals;

namespace {

using Fields = std::vector<std::string>;

// Puts the line into a buffer, as LineReader does, with commas after it that do not belong to it.
struct Split {
  explicit Split(std::string const& line) : buffer(line + ",,,,,,,,") {
    std::vector<std::string_view> views;
    problem = split_fields(std::span(buffer).first(line.size()), views);
    fields.assign(views.begin(), views.end());
  }
  std::string buffer;
  std::string_view problem;
  Fields fields;
};

Fields fields_of(std::string const& line) {
  Split const split(line);
  CHECK(split.problem.empty());
  return split.fields;
}

// Writes a field as RFC 4180 demands.
std::string line_of(Fields const& fields) {
  std::string line;
  for (std::string const& field : fields) {
    if (&field != &fields.front()) line += ',';
    if (field.find_first_of(",\"") == std::string::npos) {
      line += field;
      continue;
    }
    line += '"';
    for (char const character : field) line.append(character == '"' ? 2 : 1, character);
    line += '"';
  }
  return line;
}

}  // namespace

TEST_CASE("a line is taken apart at its commas") {
  CHECK(fields_of("") == Fields{""});
  CHECK(fields_of("one") == Fields{"one"});
  CHECK(fields_of(",") == Fields{"", ""});
  CHECK(fields_of("a, b ,,longer than a word,") == Fields{"a", " b ", "", "longer than a word", ""});
  CHECK(fields_of("12345678,1234567,123456789") == Fields{"12345678", "1234567", "123456789"});
}

TEST_CASE("characters that differ from a comma in one bit are none") {
  std::string line;
  for (unsigned bit = 0; bit < 8; ++bit) line += static_cast<char>(static_cast<unsigned>(',') ^ (1U << bit));
  CHECK(fields_of(line + ",x") == Fields{line, "x"});
}

TEST_CASE("quotes hold commas, and quotes when doubled") {
  CHECK(fields_of(R"("a,b",c)") == Fields{"a,b", "c"});
  CHECK(fields_of(R"(a,"say ""hi""","")") == Fields{"a", R"(say "hi")", ""});
  CHECK(fields_of(R"("""")") == Fields{"\""});
  CHECK(fields_of(R"("",x)") == Fields{"", "x"});
}

TEST_CASE("quotes out of place are told apart") {
  for (char const* line : {R"(")", R"(a,"b)", R"("a"")", R"("a,b""c)"})
    CHECK(Split(line).problem == "quote not closed");
  for (char const* line : {R"("a"b)", R"("a" ,b)"})
    CHECK(Split(line).problem == "text after the closing quote of a field");
  for (char const* line : {R"(a"b)", R"(a"b,c"d)", R"( "a")"})
    CHECK(Split(line).problem == "quote in a field that does not begin with one");
}

TEST_CASE("whatever is written as RFC 4180 says is read again") {
  std::mt19937 random(4180);
  auto const below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  for (int i = 0; i < 20'000; ++i) {
    // Every other line has no quotes, and so goes the short way.
    std::string_view const alphabet = i % 2 == 0 ? "ab,\" \xac\0\xff"sv : "ab\x2d\xac\xff\x01"sv;
    Fields fields(1 + below(9));
    for (std::string& field : fields) {
      for (std::size_t length = below(12); length > 0; --length) field += alphabet[below(alphabet.size())];
    }
    REQUIRE(fields_of(line_of(fields)) == fields);
  }
}
