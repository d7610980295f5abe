// Reads a profile as any user's script would: by the names of its columns.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace profile_test {

// One row of a CSV file: its fields by column.
using Row = std::map<std::string, std::string>;

// The rows of a file. Throws std::runtime_error, naming file and line, where the file is not RFC 4180 with one row a
// line, or a row differs from the header in its number of fields.
std::vector<Row> read_csv(std::string const& path);

// The whole text of a file; throws std::runtime_error if it cannot be read.
std::string read_text(std::string const& path);

}  // namespace profile_test
