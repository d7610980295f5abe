// The switches' forwarding tables, as the tools of InfiniBand print them: dump_fts, dump_lfts.sh and ibroute, and the
// files that OpenSM (-D 0x43) and ibdiagnet write.
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

// A way to print tables. A line with the heading begins that of a switch, which the GUID behind the marker names. A
// line of a table begins with the lid in hexadecimal digits and the port in decimal ones.
struct TableFormat {
  std::string_view name;
  std::string_view heading;
  std::string_view guid_marker;
  // What the number in the last line, "18 lids dumped", is of.
  enum class Count { no_such_line, lids, entries } count;
};

// If there are files of several formats, those of the first one count.
[[nodiscard]] std::span<TableFormat const> table_formats();
// The format in which this line is a heading.
[[nodiscard]] TableFormat const* table_format_of(std::string_view line);

// Adds the tables of all switches in the file, by GUID. Throws ProfileError.
using TablesByGuid = std::unordered_map<std::uint64_t, ForwardingTable>;
void read_tables(TablesByGuid& tables, std::vector<std::filesystem::path> const& files, std::uint32_t file);

// The line of a lid's entry in the table with this heading; that of the heading if it has none.
[[nodiscard]] std::size_t line_of_entry(std::filesystem::path const& file, std::uint32_t heading, std::uint32_t lid);

}  // namespace mpisee_through
