#include "profile_files.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace profile_test {

namespace {

std::vector<std::string> split(std::string const& line, std::string const& where) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char const c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') fields.back() += line[++i];
    else if (c == '"' && (quoted || fields.back().empty())) quoted = !quoted;
    else if (c == '"') throw std::runtime_error(where + ": a quote within a field");
    else if (c == ',' && !quoted) fields.emplace_back();
    else fields.back() += c;
  }
  if (quoted) throw std::runtime_error(where + ": a quote is not closed");
  return fields;
}

}  // namespace

std::string read_text(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Row> read_csv(std::string const& path) {
  std::string const text = read_text(path);
  if (text.empty() || text.back() != '\n') throw std::runtime_error(path + ": does not end in a newline");
  std::vector<std::string> columns;
  std::vector<Row> rows;
  std::size_t number = 0;
  for (std::size_t first = 0; first < text.size();) {
    std::size_t const end = text.find('\n', first);
    std::string const where = fmt::format("{}:{}", path, ++number);
    std::vector<std::string> const fields = split(text.substr(first, end - first), where);
    first = end + 1;
    if (columns.empty()) {
      columns = fields;
      continue;
    }
    if (fields.size() != columns.size())
      throw std::runtime_error(fmt::format("{}: {} fields, {} columns", where, fields.size(), columns.size()));
    Row row;
    for (std::size_t i = 0; i < fields.size(); ++i) row[columns[i]] = fields[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace profile_test
