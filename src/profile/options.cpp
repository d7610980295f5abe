#include "profile/options.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "profile/regions.hpp"

namespace commprof {

namespace {

template <class Number>
bool parse_number(char const* value, Number smallest, Number& result) {
  char const* const end = value + std::strlen(value);
  Number parsed{};
  auto const [stopped, error] = std::from_chars(value, end, parsed);
  if (error != std::errc{} || stopped != end || parsed < smallest) return false;
  result = parsed;
  return true;
}

bool parse_switch(char const* value, bool& result) {
  std::string_view const text = value;
  if (text != "0" && text != "1") return false;
  result = text == "1";
  return true;
}

bool parse_clock(char const* value, Options& options) {
  std::string_view const text = value;
  if (text == "tsc") options.clock = clock::Source::tsc;
  else if (text == "monotonic") options.clock = clock::Source::monotonic;
  else return false;
  return true;
}

bool parse_pcontrol(char const* value, Options& options) {
  std::string_view const text = value;
  if (text == "standard") options.pcontrol = Pcontrol::standard;
  else if (text == "ipm") options.pcontrol = Pcontrol::ipm;
  else return false;
  return true;
}

bool parse_max_regions(char const* value, Options& options) {
  return parse_number<std::uint32_t>(value, 1, options.max_regions) && options.max_regions <= Regions::largest_max;
}

bool parse_path(char const* value, Options& options) {
  options.output = value;
  return is_output_path(value);
}

bool parse_spool(char const* value, Options& options) {
  std::string_view const text = value;
  options.spool = text != "off";
  options.spool_directory = text == "on" || text == "off" ? nullptr : value;
  return is_output_path(value);
}

constexpr std::string_view prefix = "COMMPROF_";

}  // namespace

std::array<OptionRow, option_count> const option_table{{
    {"COMMPROF_ENABLE", "1", "0 or 1", [](char const* v, Options& o) { return parse_switch(v, o.enable); }},
    {"COMMPROF_OUTPUT", default_output, output_path_expects, parse_path},
    {"COMMPROF_SPOOL", "on", "on, off or the path of a directory, in which % is followed by x, j, p, h, n or %", parse_spool},
    {"COMMPROF_VERBOSE", "1", "0, 1 or a higher number", [](char const* v, Options& o) { return parse_number(v, 0, o.verbose); }},
    {"COMMPROF_MAX_COMMS", "1000", "a number of at least 1",
     [](char const* v, Options& o) { return parse_number<std::uint32_t>(v, 1, o.max_comms); }},
    {"COMMPROF_MAX_REGIONS", "10000", "a number from 1 to 65534", parse_max_regions},
    {"COMMPROF_PEERS", "1", "0 or 1", [](char const* v, Options& o) { return parse_switch(v, o.peers); }},
    {"COMMPROF_INTERNAL", "0", "0 or 1", [](char const* v, Options& o) { return parse_switch(v, o.internal); }},
    {"COMMPROF_CLOCK", "tsc", "tsc or monotonic", parse_clock},
    {"COMMPROF_PCONTROL", "standard", "standard or ipm", parse_pcontrol},
}};

bool is_output_path(char const* text) {
  for (char const* c = text; *c != '\0'; ++c)
    if (*c == '%' && (*++c == '\0' || std::strchr("xjphn%", *c) == nullptr)) return false;
  return *text != '\0';
}

std::string_view value_in_force(OptionRow const& row) {
  char const* const value = std::getenv(row.name.data());
  Options scratch;
  return value != nullptr && row.parse(value, scratch) ? value : row.default_value;
}

Options read_options(void (*complain)(OptionRow const* row, std::string_view text)) {
  Options options;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    std::string_view const text = *variable;
    if (!text.starts_with(prefix)) continue;
    std::size_t const equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    char const* const value = *variable + equals + 1;
    OptionRow const* found = nullptr;
    for (OptionRow const& row : option_table)
      if (row.name == text.substr(0, equals)) found = &row;
    if (found == nullptr) {
      if (text.substr(0, equals) == parent_variable) continue;
      complain(nullptr, text.substr(0, equals));
      continue;
    }
    Options attempt = options;
    if (found->parse(value, attempt)) options = attempt;
    else complain(found, value);
  }
  return options;
}

}  // namespace commprof
