#include "reader/csv_file.hpp"

#include <fmt/format.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "files/profile_error.hpp"
#include "files/text_lines.hpp"
#include "reader/profile_reader.hpp"

namespace mpisee_through {
namespace {

namespace schema = commprof::schema;

// A thread costs more than it saves for a smaller part.
constexpr std::uint64_t least_part_bytes = std::uint64_t{1} << 20U;

// Splits a line without quotes. Returns false, with useless fields, if the line has a quote.
bool split_without_quotes(std::string_view line, std::vector<std::string_view>& fields) {
  char const* field = line.data();
  char const* const end = field + line.size();
  char const* at = field;
#ifdef __SSE2__  // compares sixteen characters at a time
  __m128i const commas = _mm_set1_epi8(','), quotes = _mm_set1_epi8('"');
  for (; end - at >= 16; at += 16) {
    __m128i const block = _mm_loadu_si128(reinterpret_cast<__m128i const*>(at));
    if (_mm_movemask_epi8(_mm_cmpeq_epi8(block, quotes)) != 0) return false;
    auto found = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(block, commas)));
    for (; found != 0; found &= found - 1) {
      char const* const comma = at + std::countr_zero(found);
      fields.emplace_back(field, comma);
      field = comma + 1;
    }
  }
#endif
  for (; at != end; ++at) {
    if (*at == '"') return false;
    if (*at != ',') continue;
    fields.emplace_back(field, at);
    field = at + 1;
  }
  fields.emplace_back(field, end);
  return true;
}

// Reads a field that begins with a quote at `at`; moves `at` behind the closing quote. Nothing if there is none.
std::optional<std::string_view> take_quoted(char*& at, char const* end) {
  char* const begin = at;
  char* written = at++;
  for (; at != end; *written++ = *at++) {
    if (*at != '"') continue;
    ++at;
    if (at == end || *at != '"') return std::string_view(begin, written);
  }
  return std::nullopt;
}

std::string_view split_with_quotes(std::span<char> line, std::vector<std::string_view>& fields) {
  char* const end = line.data() + line.size();
  for (char* at = line.data();; ++at) {
    if (at != end && *at == '"') {
      auto const field = take_quoted(at, end);
      if (!field) return "quote not closed";
      fields.push_back(*field);
      if (at != end && *at != ',') return "text after the closing quote of a field";
    } else {
      char* const comma = std::find(at, end, ',');
      if (std::find(at, comma, '"') != comma) return "quote in a field that does not begin with one";
      fields.emplace_back(at, comma);
      at = comma;
    }
    if (at == end) return {};
  }
}

}  // namespace

std::string_view split_fields(std::span<char> line, std::vector<std::string_view>& fields) {
  fields.clear();
  if (!line.empty() && split_without_quotes({line.data(), line.size()}, fields)) return {};
  fields.clear();
  return split_with_quotes(line, fields);
}

CsvFile::CsvFile(FileToRead const& file, schema::File const& schema)
    : file_(file), schema_(&schema), lines_(std::make_unique<LineReader>(file)) {
  if (!lines_->next()) throw ProfileError(file_.shown, 1, "empty, without even the header line");
  split_line();
  find_columns();
}

CsvFile::CsvFile(CsvFile const& whole, FileRange range)
    : file_(whole.file_),
      schema_(whole.schema_),
      lines_(std::make_unique<LineReader>(file_, range)),
      columns_in_file_(whole.columns_in_file_),
      place_of_(whole.place_of_) {}

bool CsvFile::next() {
  if (!lines_->next()) return false;
  ++rows_;
  split_line();
  if (fields_.size() < columns_in_file_) fail("fewer fields than the header has columns");
  if (fields_.size() > columns_in_file_) fail("more fields than the header has columns");
  return true;
}

// Refuses a line that was cut off even if it looks complete: its last number may have lost digits.
void CsvFile::split_line() {
  if (lines_->is_cut_off()) fail("cut off in the middle of the line");
  if (std::string_view const problem = split_fields(lines_->line(), fields_); !problem.empty()) fail(problem);
}

void CsvFile::find_columns() {
  columns_in_file_ = fields_.size();
  for (schema::Column const& column : schema_->columns) {
    auto const found = std::ranges::find(fields_, column.name);
    place_of_.push_back(static_cast<std::size_t>(found - fields_.begin()));
    if (found == fields_.end() && column.field == schema::later) continue;
    if (found == fields_.end()) fail(fmt::format("no column \"{}\" in the header", column.name));
    if (std::find(found + 1, fields_.end(), column.name) != fields_.end())
      fail(fmt::format("column \"{}\" twice in the header", column.name));
  }
}

// Finds the first row after `place` that can begin a part: one whose text in `column` differs from the row before (any
// row if there is no column). Returns the offsets of the row before and of this row. Nothing if no such row is nearby
// or a line is malformed; the reader of the part reports that line.
std::optional<std::pair<std::uint64_t, std::uint64_t>> CsvFile::find_begin(std::uint64_t place,
                                                                           std::optional<std::size_t> column) const {
  constexpr std::uint64_t nearby = 4 * least_part_bytes;
  try {
    CsvFile lines(*this, {place, UINT64_MAX});
    (void)lines.lines_->next();  // the rest of the line at `place`
    std::uint64_t before = lines.lines_->offset_of_next();
    if (!lines.next()) return std::nullopt;
    std::string const text(column ? lines.text(*column) : "");
    for (std::uint64_t here = 0; (here = lines.lines_->offset_of_next()) < place + nearby; before = here) {
      if (!lines.next()) return std::nullopt;
      if (!column || lines.text(*column) != text) return std::pair(before, here);
    }
  } catch (ProfileError const&) {
  }
  return std::nullopt;
}

std::vector<CsvPart> CsvFile::divide(std::optional<std::size_t> column) const {
  constexpr std::size_t parts_of_thread = 4;  // several parts for each thread balance the load
  std::uint64_t const size = size_of(file_);
  std::size_t const threads = threads_at_once();
  std::uint64_t const most =
      threads > 1 ? std::min<std::uint64_t>(size / least_part_bytes, parts_of_thread * threads) : 1;
  std::vector<CsvPart> parts{{{lines_->offset_of_next(), UINT64_MAX}}};
  for (std::uint64_t i = 1; i < most; ++i) {
    auto const begins = find_begin(size / most * i, column);
    if (!begins || begins->first < parts.back().range.begin || begins->second <= parts.back().range.begin) continue;
    parts.back().range.end = begins->second;
    parts.push_back({{begins->first, UINT64_MAX}, true});
  }
  return parts;
}

// Parses a count with so many digits that it may exceed the largest number.
std::uint64_t CsvFile::long_count(std::size_t column) const {
  auto const number = number_in<std::uint64_t>(text(column));
  if (!number) fail_number(column, "a whole number");
  return *number;
}

// Parses a time with any number of digits, or with an exponent.
double CsvFile::parsed_seconds(std::size_t column) const {
  auto const number = number_in<double>(text(column));
  if (!number || !std::isfinite(*number) || *number < 0) fail_number(column, "a time in seconds");
  return *number;
}

void CsvFile::fail_number(std::size_t column, std::string_view kind) const {
  fail(fmt::format("{} is not {}: \"{}\"", schema_->columns[column].name, kind, text(column)));
}

void CsvFile::fail(std::string_view problem) const { throw ProfileError(file_.shown, lines_->line_number(), problem); }

}  // namespace mpisee_through
