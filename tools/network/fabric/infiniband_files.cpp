// Parses what the tools of an InfiniBand network write: ibnetdiscover, dump_fts and ibroute.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "fabric/fabric_builder.hpp"
#include "files/profile_error.hpp"
#include "files/text_lines.hpp"

namespace mpisee_through {
namespace {

// Reads a line of text from left to right. A function that does not find what it looks for leaves the rest of the line
// unchanged.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool empty() const { return rest_.empty(); }

  void skip_blanks() {
    std::size_t const begin = rest_.find_first_not_of(" \t");
    rest_.remove_prefix(begin == std::string_view::npos ? rest_.size() : begin);
  }

  // Skips blanks, then takes this text.
  bool take(std::string_view text) {
    skip_blanks();
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  // Skips everything up to the end of the first occurrence of this text.
  bool skip_past(std::string_view text) {
    std::size_t const at = rest_.find(text);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + text.size());
    return true;
  }

  template <class Number = std::uint32_t>
  std::optional<Number> number(int base = 10) {
    skip_blanks();
    Number value{};
    auto const [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  // Takes the text between the two characters.
  std::optional<std::string_view> between(char open, char close) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != open) return std::nullopt;
    std::size_t const end = rest_.find(close, 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view const inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return inside;
  }

  // Takes the text up to the next blank.
  std::string_view word() {
    skip_blanks();
    std::string_view const word = rest_.substr(0, rest_.find_first_of(" \t"));
    rest_.remove_prefix(word.size());
    return word;
  }

 private:
  std::string_view rest_;
};

// The data rate of a lane. The line codes carry 8 bits of data in 10 up to QDR, 64 in 66 from FDR10 on; rates from HDR
// on are rates of data already.
struct Speed {
  std::string_view name;
  double gbit_per_s;
};
constexpr std::array speeds{Speed{"SDR", 2},    Speed{"DDR", 4},     Speed{"QDR", 8},
                            Speed{"FDR10", 10}, Speed{"FDR", 13.64}, Speed{"EDR", 25},
                            Speed{"HDR", 50},   Speed{"NDR", 100},   Speed{"XDR", 200}};

// "4xEDR": the bytes of data that a link carries each way in a second, without its line code. 0 for an unknown text.
double bytes_per_second(std::string_view width_and_speed) {
  Scanner scanner(width_and_speed);
  std::uint32_t const lanes = scanner.number().value_or(0);
  auto const* const speed = scanner.take("x") ? std::ranges::find(speeds, scanner.rest(), &Speed::name) : speeds.end();
  return speed == speeds.end() || lanes > 64 ? 0 : lanes * speed->gbit_per_s * 1e9 / 8;
}

// Visits the lines of the last file of the fabric.
template <class Visit>
void for_each_line(FabricBuilder const& builder, std::filesystem::path const& path, Visit const& visit) {
  LineReader reader({path, path});
  FabricPlace place{static_cast<std::uint32_t>(builder.fabric().files.size() - 1), 0};
  while (reader.next()) {
    ++place.line;
    visit(std::string_view(reader.line().data(), reader.line().size()), place);
  }
}

// Parses ibnetdiscover: a node is a line with its name, then a line for each port with a cable.
class NetDiscoverParser {
 public:
  explicit NetDiscoverParser(FabricBuilder& builder) : builder_(builder) {}

  void read(std::string_view line, FabricPlace place) {
    place_ = place;
    Scanner scanner(line);
    scanner.skip_blanks();
    if (scanner.empty()) return;
    if (scanner.rest().starts_with('[')) return read_port(scanner);
    for (std::string_view const word : {"Switch", "Ca", "Rt"})
      if (scanner.take(word)) return read_node(scanner, word == "Switch");
    // Beginnings of lines that are not about cables.
    for (std::string_view const word :
         {"#", "vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid=", "Chassis", "Non-Chassis"})
      if (scanner.rest().starts_with(word)) return;
    builder_.fail(place_, "this is no line of ibnetdiscover");
  }

 private:
  // Example: Switch 36 "S-0002c9020040f160"   # "leaf4" base port 0 lid 9 lmc 0
  void read_node(Scanner scanner, bool is_switch) {
    auto const ports = scanner.number();
    auto const guid = read_guid(scanner);
    if (!ports || !guid || !scanner.take("#")) fail_cut_off();
    auto const name = scanner.between('"', '"');
    if (!name) fail_cut_off();
    if (is_switch)
      for (std::string_view const word : {"lid", "lmc"}) (void)read_after(scanner, word);
    node_ = builder_.add(
        {.name = std::string(*name), .guid = *guid, .is_switch = is_switch, .ports = *ports, .place = place_});
    is_switch_ = is_switch;
  }

  // [1]  "H-0002c9020040f161"[1](2c9020040f162)   # "node01 HCA-1" lid 16 4xQDR         in a switch
  // [1](2c9020040f162)  "S-0002c9020040f160"[3]   # lid 16 lmc 0 "leaf4" lid 9 4xQDR    in an adapter
  void read_port(Scanner scanner) {
    if (!node_) builder_.fail(place_, "this port is of no node");
    auto const number = read_number(scanner);
    (void)scanner.between('[', ']');  // [ext 3]: the port's number outside the chassis
    FabricLink link;
    if (auto const own = scanner.between('(', ')')) link.guid = Scanner(*own).number<std::uint64_t>(16).value_or(0);
    auto const peer = read_guid(scanner);
    auto const peer_port = read_number(scanner);
    if (!number || !peer || !peer_port || !scanner.skip_past("#")) fail_cut_off();
    link.port = *number;
    if (!is_switch_) link.lid = read_after(scanner, "lid");
    if (!scanner.skip_past("\"") || !scanner.skip_past("\"")) fail_cut_off();
    (void)read_after(scanner, "lid");
    std::string_view const rate = scanner.word();
    if (rate.empty()) fail_cut_off();
    link.bytes_per_s = bytes_per_second(rate);
    builder_.connect(*node_, link, {*peer, *peer_port, place_});
  }

  static std::optional<std::uint32_t> read_number(Scanner& scanner) {
    auto const text = scanner.between('[', ']');
    return text ? Scanner(*text).number() : std::nullopt;
  }

  // Reads the GUID in "S-0002c9020040f160".
  static std::optional<std::uint64_t> read_guid(Scanner& scanner) {
    auto const text = scanner.between('"', '"');
    if (!text || text->size() < 3 || (*text)[1] != '-') return std::nullopt;
    return Scanner(text->substr(2)).number<std::uint64_t>(16);
  }

  std::uint32_t read_after(Scanner& scanner, std::string_view word) {
    scanner.skip_past(word);
    auto const number = scanner.number();
    if (!number) fail_cut_off();
    if (*number > largest_lid) builder_.fail(place_, fmt::format("{} {} is too large", word, *number));
    return *number;
  }

  [[noreturn]] void fail_cut_off() { builder_.fail(place_, "this line of ibnetdiscover is damaged or cut off"); }

  FabricBuilder& builder_;
  FabricPlace place_{};
  std::optional<NodeIndex> node_;  // the node whose ports follow
  bool is_switch_ = false;
};

// A line with this text begins the table of a switch, whose GUID follows the marker. A line of the table begins with
// the lid in hexadecimal and the port in decimal digits. The last line, "18 valid lids dumped", counts the entries.
constexpr std::string_view table_heading = "Unicast lids [0x", guid_marker = " guid 0x";
constexpr std::uint32_t illegal_port = 255;  // the entry of a lid whose packets the switch drops

struct Entry {
  std::uint32_t lid, port;
};

// "0x000a 004 : (Channel Adapter …", or "0x000a 004 # …".
std::optional<Entry> parse_entry(std::string_view line) {
  Scanner scanner(line);
  if (!scanner.take("0x")) return std::nullopt;
  auto const lid = scanner.number(16);
  auto const port = scanner.number();
  if (!lid || *lid > largest_lid || !port || *port > illegal_port) return std::nullopt;
  return Entry{*lid, *port};
}

class TableParser {
 public:
  explicit TableParser(FabricBuilder& builder) : builder_(builder) {}

  void read(std::string_view line, FabricPlace place) {
    place_ = place;
    if (line.starts_with("0x")) return read_entry(line);
    if (begins_table(line)) return begin(line);
    if (line.find("lids dumped") != std::string_view::npos) return end(line);
  }

  void finish() const {
    if (table_ != nullptr) fail(fmt::format("the table that begins in line {} is cut off", table_->heading->line));
  }

 private:
  void begin(std::string_view line) {
    finish();
    Scanner scanner(line);
    (void)scanner.skip_past(guid_marker);
    auto const guid = scanner.number<std::uint64_t>(16);
    if (!guid) fail("this heading of a table is damaged or cut off");
    table_ = &builder_.begin_table(*guid, place_);
    switch_ = &builder_.fabric().nodes[static_cast<std::size_t>(table_ - builder_.fabric().tables.data())];
    entries_ = 0;
  }

  void read_entry(std::string_view line) {
    auto const entry = parse_entry(line);
    if (!entry) fail("this entry of a table is damaged or cut off");
    if (table_ == nullptr) fail("this entry is in no table");
    bool const is_dropped = entry->port == illegal_port;
    if (entry->port > switch_->ports && !is_dropped)
      fail(fmt::format("{} has no port {}, only {}", switch_->name, entry->port, switch_->ports));
    if (entry->lid >= table_->ports.size()) table_->ports.resize(entry->lid + 1, ForwardingTable::no_port);
    table_->ports[entry->lid] = is_dropped ? ForwardingTable::no_port : static_cast<std::uint16_t>(entry->port);
    ++entries_;
  }

  void end(std::string_view line) {
    if (table_ == nullptr) return;
    if (Scanner(line).number() != entries_)
      fail(fmt::format("this table has {} entries, and says that it has another number of them", entries_));
    table_ = nullptr;
  }

  [[noreturn]] void fail(std::string_view problem) const { builder_.fail(place_, problem); }

  FabricBuilder& builder_;
  FabricPlace place_{};
  ForwardingTable* table_ = nullptr;
  FabricNode const* switch_ = nullptr;
  std::uint32_t entries_ = 0;
};

}  // namespace

void read_ibnetdiscover(FabricBuilder& builder, std::filesystem::path const& path) {
  NetDiscoverParser parser(builder);
  for_each_line(builder, path, [&](std::string_view line, FabricPlace place) { parser.read(line, place); });
}

bool begins_table(std::string_view line) { return line.find(table_heading) != std::string_view::npos; }

void read_tables(FabricBuilder& builder, std::filesystem::path const& path) {
  TableParser parser(builder);
  for_each_line(builder, path, [&](std::string_view line, FabricPlace place) { parser.read(line, place); });
  parser.finish();
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
