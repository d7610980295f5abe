#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <vector>

#include "files/profile_error.hpp"
#include "files/temporary_directory.hpp"
#include "files/text_lines.hpp"

using namespace mpisee_through;

namespace {

using Lines = std::vector<std::string>;

// Lines in the way they are read, "<" in front of one that was cut off.
Lines lines_of(std::string const& text) {
  TemporaryDirectory const directory;
  std::filesystem::path const file = directory.path() / "text";
  std::ofstream(file, std::ios::binary) << text;
  Lines lines;
  for (LineReader reader({file, file}); reader.next();) {
    lines.push_back(std::string(reader.is_cut_off() ? "<" : "") +
                    std::string(reader.line().begin(), reader.line().end()));
    CHECK(reader.line_number() == lines.size());
  }
  return lines;
}

}  // namespace

TEST_CASE("lines end in LF or CR LF, and a last line without an end was cut off") {
  CHECK(lines_of("") == Lines{});
  CHECK(lines_of("\n") == Lines{""});
  CHECK(lines_of("a\n\nb\r\n\r\nc\rd\n") == Lines{"a", "", "b", "", "c\rd"});
  CHECK(lines_of("a\nb") == Lines{"a", "<b"});
}

TEST_CASE("lines of any length cross the reader's blocks") {
  Lines lines;
  std::string text;
  for (std::size_t length = 1; length < 3'000'000; length += 1 + length / 3) {
    for (int i = 0; i < 3; ++i) {
      lines.push_back(std::string(length, static_cast<char>('a' + lines.size() % 26)));
      text += lines.back() + "\n";
    }
  }
  CHECK(lines_of(text) == lines);
}

TEST_CASE("a line is as long as 16 MiB and no longer") {
  std::string const longest(LineReader::longest_line, 'x');
  CHECK(lines_of(longest + "\ny\n") == Lines{longest, "y"});
  CHECK_THROWS_AS(lines_of(longest + "x\n"), ProfileError);
}
