// Reads the switches' forwarding tables: the output of dump_fts, dump_lfts.sh and ibroute, and the files that OpenSM
// (-D 0x43) and ibdiagnet write.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fabric/fabric.hpp"

namespace mpisee_through {

// A format of tables. A line with the heading begins the table of a switch, whose GUID follows the marker. A line of
// the table begins with the lid in hexadecimal and the port in decimal digits.
struct TableFormat {
  std::string_view name;
  std::string_view heading;
  std::string_view guid_marker;
  // What the last line, "18 lids dumped", counts.
  enum class Count { no_such_line, lids, entries } count;
};

// If files have several formats, only those of the first format are used.
[[nodiscard]] std::span<TableFormat const> table_formats();
// The format whose heading this line has.
[[nodiscard]] TableFormat const* table_format_of(std::string_view line);

// Adds the tables of all switches in the file, by GUID. Throws ProfileError.
using TablesByGuid = std::unordered_map<std::uint64_t, ForwardingTable>;
void read_tables(TablesByGuid& tables, std::vector<std::filesystem::path> const& files, std::uint32_t file);

// The number of the line with the lid's entry, in the table that begins at line `heading`; `heading` if there is no
// entry.
[[nodiscard]] std::size_t line_of_entry(std::filesystem::path const& file, std::uint32_t heading, std::uint32_t lid);

}  // namespace mpisee_through
