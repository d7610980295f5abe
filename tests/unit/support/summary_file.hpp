#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Computes the rows of summary.csv from rows of operations.csv (without quotes, with nine decimals) by the rules of
// docs/profile.md, without code of the library or the tool.
std::vector<std::string> summary_rows(std::vector<std::string> const& operations);
// Computes the rows of sizes.csv.
std::vector<std::string> size_rows(std::vector<std::string> const& operations);

// A time in the notation of a profile.
std::string seconds_text(std::uint64_t nanoseconds);
// Parses such a time.
std::uint64_t nanoseconds_of(std::string const& seconds);

// The fields of a row without quotes.
std::vector<std::string> fields_of_row(std::string const& row);
