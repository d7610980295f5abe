#include "reader/csv_file.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

using namespace mpisee_through;

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
