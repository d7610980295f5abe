// docs/profile.md has the files and columns of the schema, and no others.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "profile/schema.hpp"

namespace {

namespace schema = commprof::schema;

// The sections of the page by the names of files in their headings.
std::map<std::string, std::string> sections() {
  std::map<std::string, std::string> sections;
  std::ifstream in(std::filesystem::path(MPISEE_THROUGH_DOCUMENTATION) / "profile.md");
  std::vector<std::string> files;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("## ", 0) == 0) {
      files.clear();
      for (schema::File const& file : schema::tables)
        if (line.find(" " + std::string(file.name)) != std::string::npos) files.emplace_back(file.name);
    }
    for (std::string const& file : files) sections[file] += line + "\n";
  }
  return sections;
}

// The texts in backquotes in the first cells of the tables with columns.
std::vector<std::string> columns_in_tables(std::string const& section) {
  std::vector<std::string> columns;
  bool is_of_columns = false;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = section.find('\n', begin)) != std::string::npos; begin = end + 1) {
    std::string const line = section.substr(begin, end - begin);
    if (line.rfind("| ", 0) != 0 && line.rfind("|--", 0) != 0) is_of_columns = false;
    if (line.rfind("| column |", 0) == 0) is_of_columns = true;
    if (!is_of_columns) continue;
    std::string const cell = line.substr(0, line.find('|', 1));
    for (std::size_t quote = cell.find('`'); quote != std::string::npos;) {
      std::size_t const closing = cell.find('`', quote + 1);
      columns.push_back(cell.substr(quote + 1, closing - quote - 1));
      quote = cell.find('`', closing + 1);
    }
  }
  return columns;
}

}  // namespace

TEST_CASE("the page about profiles has each column of the schema") {
  auto const of_file = sections();
  for (schema::File const& file : schema::tables) {
    INFO(std::string(file.name));
    auto const section = of_file.find(std::string(file.name));
    REQUIRE(section != of_file.end());
    if (file.name == schema::sizes.name) continue;  // "the columns of `summary.csv` from `op` on", checked below
    for (schema::Column const& column : file.columns) {
      INFO(std::string(column.name));
      CHECK(section->second.find("`" + std::string(column.name) + "`") != std::string::npos);
    }
  }
}

TEST_CASE("the page about profiles has no column that the schema lacks") {
  for (auto const& [name, section] : sections()) {
    for (std::string const& column : columns_in_tables(section)) {
      INFO(name << ": " << column);
      CHECK(
          std::any_of(schema::tables.begin(), schema::tables.end(), [&, &section = section](schema::File const& file) {
            bool const is_of_section = section.find(file.name) != std::string::npos;
            return is_of_section && file.place(column) < file.columns.size();
          }));
    }
  }
}

TEST_CASE("the columns of sizes.csv are those of summary.csv from op on, without communicators") {
  auto at = schema::summary.columns.begin();
  for (schema::Column const& column : schema::sizes.columns) {
    at = std::find_if(at, schema::summary.columns.end(), [&](auto const& one) { return one.name == column.name; });
    REQUIRE(at != schema::summary.columns.end());
    CHECK(at->kind == column.kind);
  }
}
