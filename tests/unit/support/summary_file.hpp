#pragma once

#include <string>
#include <vector>

// Rows of summary.csv for the rows of operations.csv, which have no quotes and nine decimals, by the rules of
// docs/profile.md and without any code of the library or the tool.
std::vector<std::string> summary_rows(std::vector<std::string> const& operations);
// Of sizes.csv, likewise.
std::vector<std::string> size_rows(std::vector<std::string> const& operations);

// A time in the notation of a profile.
std::string seconds_text(std::uint64_t nanoseconds);
// And back.
std::uint64_t nanoseconds_of(std::string const& seconds);

// The fields of a row without quotes.
std::vector<std::string> fields_of_row(std::string const& row);
