#include "options/options.hpp"

#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "base/ids.hpp"

namespace commprof {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  std::size_t const first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view{} : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// A whole number from `least` to `most`.
template <auto member, std::int64_t least = 0, std::int64_t most = INT64_MAX>
bool parse_number(char const* value, Options& options) {
  char const* const end = value + std::strlen(value);
  auto parsed = options.*member;
  auto const [stopped, error] = std::from_chars(value, end, parsed);
  if (error != std::errc{} || stopped != end || parsed < least || parsed > most) return false;
  options.*member = parsed;
  return true;
}

template <class Value>
struct Word {
  std::string_view text;
  Value value;
};
template <class Value>
bool parse_word(std::string_view text, std::initializer_list<Word<Value>> words, Value& result) {
  for (Word<Value> const& word : words)
    if (word.text == text) return (result = word.value, true);
  return false;
}

template <bool Options::*member>
bool parse_switch(char const* value, Options& options) {
  return parse_word<bool>(value, {{"0", false}, {"1", true}}, options.*member);
}

bool parse_spool(char const* value, Options& options) {
  return parse_word<bool>(value, {{"off", false}, {"on", true}}, options.spool);
}

bool parse_apps(char const* value, Options& options) {
  options.apps = value;
  return true;
}

bool parse_clock(char const* value, Options& options) {
  using clock::Source;
  return parse_word<Source>(value, {{"tsc", Source::tsc}, {"monotonic", Source::monotonic}}, options.clock);
}

bool parse_detail(char const* value, Options& options) {
  return parse_word<Detail>(
      value, {{"ranks", Detail::ranks}, {"summary", Detail::summary}, {"auto", Detail::automatic}}, options.detail);
}

bool parse_when(char const* value, Options& options) {
  return parse_number<&Options::when, 0, 0>(value, options) || parse_number<&Options::when, 16, 4096>(value, options);
}

bool parse_path(char const* value, Options& options) {
  options.output = std::string_view(value) == default_output ? nullptr : value;
  return is_output_path(value);
}

// Parses a number with an optional K, M, G or T; off means 0.
bool parse_max_size(char const* value, Options& options) {
  std::string_view const text = value;
  if (text == "off") return (options.max_size = 0, true);
  constexpr std::string_view units = "KMGT";
  std::size_t const unit = text.empty() ? units.npos : units.find(text.back());
  unsigned const shift = unit == units.npos ? 0 : 10 * (static_cast<unsigned>(unit) + 1);
  char const* const end = value + text.size() - (shift > 0 ? 1 : 0);
  std::uint64_t number = 0;
  auto const [stopped, error] = std::from_chars(value, end, number);
  if (error != std::errc{} || stopped != end || number == 0 || number > UINT64_MAX >> shift) return false;
  options.max_size = number << shift;
  return true;
}

bool parse_index(char const* value, Options& options) {
  options.index = std::string_view(value) == "off" ? nullptr : value;
  return is_output_path(value);
}

}  // namespace

std::array<OptionRow, option_count> const option_table{{
    {"COMMPROF_ENABLE", "1", "0 or 1", parse_switch<&Options::enable>},
    {"COMMPROF_APPS", "*", "a list of programs of less than 4096 bytes", parse_apps},
    {"COMMPROF_OUTPUT", default_output, output_path_expects, parse_path},
    {"COMMPROF_SPOOL", "on", "on or off", parse_spool},
    {"COMMPROF_MAX_SIZE", "off", "off or a number of bytes of at least 1, with K, M, G or T", parse_max_size},
    {"COMMPROF_MIN_TIME", "0", "a number of seconds", parse_number<&Options::min_time>},
    {"COMMPROF_MIN_MPI", "0", "a number from 0 to 100", parse_number<&Options::min_mpi, 0, 100>},
    {"COMMPROF_INDEX", "off", "off or the path of a file, in which % is followed by x, j, a, u, d, p, h, n or %",
     parse_index},
    {"COMMPROF_VERBOSE", "1", "0, 1 or a higher number", parse_number<&Options::verbose>},
    {"COMMPROF_MAX_COMMS", "1000", "a number of at least 1", parse_number<&Options::max_comms, 1>},
    {"COMMPROF_MAX_REGIONS", "10000", "a number from 1 to 65534", parse_number<&Options::max_regions, 1, most_regions>},
    {"COMMPROF_SITES", "1", "0 or 1", parse_switch<&Options::sites>},
    {"COMMPROF_MAX_SITES", "10000", "a number of at least 1", parse_number<&Options::max_sites, 1>},
    {"COMMPROF_STACK", "0", "a number from 0 to 16", parse_number<&Options::stack, 0, max_stack>},
    {"COMMPROF_DETAIL", "ranks", "ranks, summary or auto", parse_detail},
    {"COMMPROF_PEERS", "1", "0 or 1", parse_switch<&Options::peers>},
    {"COMMPROF_WAITS", "1", "0 or 1", parse_switch<&Options::waits>},
    {"COMMPROF_WHEN", "256", "0 or a number from 16 to 4096", parse_when},
    {"COMMPROF_INTERNAL", "0", "0 or 1", parse_switch<&Options::internal>},
    {"COMMPROF_TRANSPORT", "0", "0 or 1", parse_switch<&Options::transport>},
    {"COMMPROF_CLOCK", "tsc", "tsc or monotonic", parse_clock},
}};

Options default_options() {
  Options options{};
  for (OptionRow const& row : option_table) row.parse(row.default_value, options);
  return options;
}

bool is_output_path(char const* text) {
  for (char const* c = text; *c != '\0'; ++c)
    if (*c == '%' && (*++c == '\0' || std::strchr("xjaudphn%", *c) == nullptr)) return false;
  return *text != '\0';
}

bool is_wanted_program(std::string_view list, std::string_view program) {
  char pattern[1024], name[NAME_MAX + 1];
  name[program.copy(name, sizeof name - 1)] = '\0';
  bool is_included = false, is_excluded = false, are_all_included = true;
  while (!list.empty()) {
    std::size_t const comma = list.find(',');
    std::string_view item = trimmed(list.substr(0, comma));
    list = comma == list.npos ? std::string_view{} : list.substr(comma + 1);
    bool const excludes = item.starts_with('-');
    if (excludes) item = trimmed(item.substr(1));
    if (item.empty()) continue;
    pattern[item.copy(pattern, sizeof pattern - 1)] = '\0';
    if (fnmatch(pattern, name, 0) == 0) (excludes ? is_excluded : is_included) = true;
    are_all_included = are_all_included && excludes;
  }
  return (are_all_included || is_included) && !is_excluded;
}

constinit Settings settings;

void Settings::take(OptionRow const& row, std::string_view text) {
  Value& value = values_[static_cast<std::size_t>(&row - option_table.data())];
  if (value.use != Use::absent) return;  // of two variables with one name the first counts, as for getenv()
  bool const fits = text.size() <= max_bytes;
  value.text[text.copy(value.text, max_bytes)] = '\0';
  Options attempt = options_;
  value.use = fits && row.parse(value.text, attempt) ? Use::in_force : Use::refused;
  if (value.use == Use::in_force) options_ = attempt;
}

void Settings::take(std::string_view name, std::string_view text) {
  auto const row =
      std::find_if(option_table.begin(), option_table.end(), [&](OptionRow const& r) { return r.name == name; });
  if (row != option_table.end()) take(*row, text);
  else unknown_.add(name);
}

void Settings::Names::add(std::string_view name) {
  if (length + name.size() >= sizeof text) return;
  length += name.copy(text + length, name.size());
  text[length++] = '\0';
}

void Settings::read_now() {
  options_ = default_options();
  unknown_.length = 0;
  for (Value& value : values_) value.use = Use::absent;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    std::string_view const text = *variable;
    std::size_t const equals = text.find('=');
    if (text.starts_with(option_prefix) && equals != std::string_view::npos)
      take(text.substr(0, equals), text.substr(equals + 1));
  }
  is_read_ = true;
}

void Settings::read() {
  std::lock_guard const lock(mutex_);
  if (!is_kept_) read_now();
}

void Settings::keep() {
  std::lock_guard const lock(mutex_);
  if (!is_read_) read_now();
  is_kept_ = true;
}

std::string_view Settings::in_force(OptionRow const& row) const {
  Value const& value = values_[static_cast<std::size_t>(&row - option_table.data())];
  return value.use == Use::in_force ? value.text : row.default_value;
}

void Settings::tell_mistakes(void (*complain)(Mistake const& mistake)) const {
  for (std::size_t i = 0; i < option_count; ++i)
    if (values_[i].use == Use::refused) complain({&option_table[i], values_[i].text});
  for (std::size_t at = 0; at < unknown_.length; at += std::strlen(unknown_.text + at) + 1)
    complain({nullptr, unknown_.text + at});
}

}  // namespace commprof
