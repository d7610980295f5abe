#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "fabric/scanner.hpp"
#include "fabric/topology.hpp"
#include "files/profile_error.hpp"
#include "reader/line_reader.hpp"

namespace mpisee_through {
namespace {

// A line with this text begins the table of a switch, whose GUID follows the marker. A line of the table begins with
// the lid in hexadecimal and the port in decimal digits. The last line, "18 valid lids dumped", counts the entries.
constexpr std::string_view table_heading = "Unicast lids [0x", guid_marker = " guid 0x";
constexpr std::uint16_t illegal_port = 255;  // the entry of a lid whose packets the switch drops

struct Entry {
  std::uint32_t lid;
  std::uint16_t port;
};

// "0x000a 004 : (Channel Adapter …", or "0x000a 004 # …".
std::optional<Entry> parse_entry(std::string_view line) {
  Scanner scanner(line);
  if (!scanner.take("0x")) return std::nullopt;
  auto const lid = scanner.number(16);
  auto const port = scanner.number();
  if (!lid || *lid > largest_lid || !port || *port > illegal_port) return std::nullopt;
  return Entry{*lid, *port == illegal_port ? ForwardingTable::no_port : static_cast<std::uint16_t>(*port)};
}

class TableParser {
 public:
  TableParser(TablesByGuid& tables, std::vector<std::filesystem::path> const& files, std::uint32_t file)
      : tables_(tables), files_(files), file_(file), reader_({files[file], files[file]}) {}

  void run() {
    while (reader_.next()) {
      ++line_;
      read({reader_.line().data(), reader_.line().size()});
    }
    finish();
  }

 private:
  void read(std::string_view line) {
    if (line.starts_with("0x")) return read_entry(line);
    if (begins_table(line)) return begin(line);
    if (line.find("lids dumped") != std::string_view::npos) return end(line);
  }

  void begin(std::string_view line) {
    finish();
    Scanner scanner(line);
    (void)scanner.skip_past(guid_marker);
    auto const guid = scanner.number<std::uint64_t>(16);
    if (!guid) fail("this heading of a table is damaged or cut off");
    auto const [known, is_new] = tables_.try_emplace(*guid);
    table_ = &known->second;
    if (!is_new) {
      FabricPlace const& other = *table_->heading;
      fail(fmt::format("{:#018x} has a table at {}:{}, too", *guid, files_[other.file].string(), other.line));
    }
    table_->heading = {file_, line_};
    entries_ = 0;
  }

  void read_entry(std::string_view line) {
    auto const entry = parse_entry(line);
    if (!entry) fail("this entry of a table is damaged or cut off");
    if (table_ == nullptr) fail("this entry is in no table");
    if (entry->lid >= table_->ports.size()) {
      table_->ports.reserve(std::max<std::size_t>(entry->lid + 1, 2 * table_->ports.size()));
      table_->ports.resize(entry->lid + 1, ForwardingTable::no_port);
    }
    table_->ports[entry->lid] = entry->port;
    ++entries_;
  }

  // Checks the last line of a table: "18 valid lids dumped".
  void end(std::string_view line) {
    if (table_ == nullptr) return;
    auto const count = Scanner(line).number();
    if (!count || *count != entries_)
      fail(fmt::format("this table has {} entries, and says that it has another number of them", entries_));
    table_ = nullptr;
  }

  void finish() const {
    if (table_ != nullptr) fail(fmt::format("the table that begins in line {} is cut off", table_->heading->line));
  }

  [[noreturn]] void fail(std::string_view problem) const { throw ProfileError(files_[file_], line_, problem); }

  TablesByGuid& tables_;
  std::vector<std::filesystem::path> const& files_;
  std::uint32_t file_;
  LineReader reader_;
  std::uint32_t line_ = 0;
  ForwardingTable* table_ = nullptr;
  std::uint64_t entries_ = 0;
};

}  // namespace

bool begins_table(std::string_view line) { return line.find(table_heading) != std::string_view::npos; }

void read_tables(TablesByGuid& tables, std::vector<std::filesystem::path> const& files, std::uint32_t file) {
  TableParser(tables, files, file).run();
}

std::size_t line_of_entry(std::filesystem::path const& file, std::uint32_t heading, std::uint32_t lid) {
  LineReader reader({file, file});
  for (std::size_t line = 1; reader.next(); ++line) {
    if (line <= heading) continue;
    std::string_view const text(reader.line().data(), reader.line().size());
    if (begins_table(text)) break;
    auto const entry = parse_entry(text);
    if (entry && entry->lid == lid) return line;
  }
  return heading;
}

}  // namespace mpisee_through
