#pragma once

// The parser's reading thread would look ahead while a line is parsed; the page cache already does.
#define CSV_IO_NO_THREAD
#include <fmt/format.h>
#include <libfccp/csv.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "profile/schema.hpp"
#include "reader/csv_source.hpp"
#include "reader/profile_error.hpp"

namespace mpisee_through {

// A CSV file of the profile, row after row. Lines, columns and quotes are the parser library's; this adds what it
// leaves open: columns named by the schema, strict numbers, files cut off, and errors that name the file and the line.
//
// Fields point into the line that was read last, and are valid until next().
template <commprof::schema::File const& schema_file>
class CsvFile {
  static constexpr std::size_t column_count =
      static_cast<std::size_t>(std::count(schema_file.header.begin(), schema_file.header.end(), ',')) + 1;

 public:
  // The place of a column of the schema, found when compiling: a name that the schema lacks does not compile.
  static consteval std::size_t column(std::string_view name) {
    auto const names = column_names();
    auto const found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw "the schema has no column of this name";
    return static_cast<std::size_t>(found - names.begin());
  }

  // expected_rows: what run.json counts, if it does; another number of rows is an error of the file.
  CsvFile(std::filesystem::path const& profile, std::optional<std::uint64_t> expected_rows)
      : file_(profile / schema_file.name),
        expected_rows_(expected_rows),
        source_(std::make_unique<CsvSource>(file_)),
        csv_(std::make_unique<Parser>(std::string(schema_file.name), std::make_unique<ParserSource>(*source_))) {
    explain([this] {
      std::array<std::string, column_count> names;
      std::ranges::copy(column_names(), names.begin());
      std::apply([this](auto const&... name) { csv_->read_header(io::ignore_extra_column, name...); }, names);
      return true;
    });
  }

  // Moves to the next row. False at the end of the file; throws ProfileError.
  bool next() {
    bool const found =
        explain([this] { return std::apply([this](auto&... field) { return csv_->read_row(field...); }, fields_); });
    if (!found) {
      if (source_->lacked_last_newline()) fail_at_end("cut off in the middle of the line");
      if (expected_rows_ && rows_ < *expected_rows_) {
        fail_at_end(fmt::format("cut off after {} of {} rows", rows_, *expected_rows_));
      }
      return false;
    }
    ++rows_;
    if (expected_rows_ && rows_ > *expected_rows_) {
      fail(fmt::format("more rows than the {} that {} counts", *expected_rows_, commprof::schema::run_file));
    }
    return true;
  }

  [[nodiscard]] std::string_view text(std::size_t column) const { return fields_[column]; }

  [[nodiscard]] std::uint64_t count(std::size_t column) {
    std::string_view const digits = text(column);
    std::uint64_t number = 0;
    auto const [parsed_to, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || parsed_to != digits.data() + digits.size()) fail_number(column, "a whole number");
    return number;
  }

  [[nodiscard]] double seconds(std::size_t column) {
    std::string_view const digits = text(column);
    double number = 0;
    auto const [parsed_to, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    bool const whole_field = error == std::errc() && parsed_to == digits.data() + digits.size();
    if (!whole_field || !std::isfinite(number) || number < 0) fail_number(column, "a time in seconds");
    return number;
  }

  // Reports a problem of the current row. In the last line of a file that was cut off, that is the problem.
  [[noreturn]] void fail(std::string_view problem) {
    std::size_t const line = csv_->get_file_line();
    if (source_->lacked_last_newline() && csv_->next_line() == nullptr) problem = "cut off in the middle of the line";
    throw ProfileError(file_, line, problem);
  }

 private:
  // RFC 4180: blanks belong to the field, quotes are doubled inside quotes.
  using Parser = io::CSVReader<column_count, io::trim_chars<>, io::double_quote_escape<',', '"'>>;

  // The parser owns what it reads from, and drops it at the end of the file, when there is still something to ask it.
  struct ParserSource : io::ByteSourceBase {
    explicit ParserSource(CsvSource& owned_elsewhere) : source(owned_elsewhere) {}
    int read(char* buffer, int size) override { return source.read(buffer, size); }
    CsvSource& source;
  };

  static constexpr std::array<std::string_view, column_count> column_names() {
    std::array<std::string_view, column_count> names;
    std::string_view rest = schema_file.header;
    for (std::string_view& name : names) {
      name = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    }
    return names;
  }

  // Runs a step of the parser and turns its complaints into ours.
  template <class Step>
  bool explain(Step step) {
    try {
      return step();
    } catch (io::error::header_missing const&) {
      throw ProfileError(file_, 1, "empty, without even the header line");
    } catch (io::error::missing_column_in_header const& error) {
      fail(fmt::format("no column \"{}\" in the header", error.column_name));
    } catch (io::error::duplicated_column_in_header const& error) {
      fail(fmt::format("column \"{}\" twice in the header", error.column_name));
    } catch (io::error::too_few_columns const&) {
      fail("fewer fields than the header has columns");
    } catch (io::error::too_many_columns const&) {
      fail("more fields than the header has columns");
    } catch (io::error::escaped_string_not_closed const&) {
      fail("quote not closed");
    } catch (io::error::line_length_limit_exceeded const&) {
      throw ProfileError(file_, csv_->get_file_line(), "line longer than 16 MiB");
    }
  }

  [[noreturn]] void fail_number(std::size_t column, std::string_view kind) {
    fail(fmt::format("{} is not {}: \"{}\"", column_names()[column], kind, text(column)));
  }

  [[noreturn]] void fail_at_end(std::string_view problem) { throw ProfileError(file_, csv_->get_file_line(), problem); }

  std::filesystem::path file_;
  std::optional<std::uint64_t> expected_rows_;
  std::uint64_t rows_ = 0;
  std::unique_ptr<CsvSource> source_;
  std::unique_ptr<Parser> csv_;
  std::array<char*, column_count> fields_{};
};

}  // namespace mpisee_through
