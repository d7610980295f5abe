// Implements Rows<Row> for the tables of tables.cpp.
//
// Each table specialises Table<Row>: its file, and the fields of a row. The compiler checks fields against the schema:
// each name is that of a column, and its kind fits the member's type.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "files/profile_error.hpp"
#include "files/text_lines.hpp"
#include "profile/schema.hpp"
#include "reader/csv_file.hpp"
#include "reader/profile_reader.hpp"

namespace mpisee_through {

template <class Row>
struct Table;
template <class Of, commprof::schema::File const& its_file>
struct TableOf {
  using Row = Of;
  static constexpr commprof::schema::File const& file = its_file;
};

template <class Member>
struct Field {
  std::string_view column;
  Member member;
};
// Clang 16 deduces the arguments of no aggregate.
template <class Member>
Field(std::string_view, Member) -> Field<Member>;

// A SizeBin takes two columns.
inline constexpr std::string_view size_columns[] = {"size_min", "size_max"};

template <class Value>
struct IsOptional : std::false_type {};
template <class Value>
struct IsOptional<std::optional<Value>> : std::true_type {};

// An enumeration whose values have names in files. In a column that older profiles lack, no name stands for the first.
template <class Value>
concept HasNames = requires(Value value) {
  names_in_files(value);
};

// Whether the member's type can hold the column's values.
template <class Value>
consteval bool fits(commprof::schema::Column const& column) {
  namespace schema = commprof::schema;
  if constexpr (std::is_same_v<Value, std::string_view>) return column.kind <= schema::flag;
  else if constexpr (IsOptional<Value>::value)
    return column.field != schema::Field::required && fits<typename Value::value_type>({column.name, column.kind});
  else if constexpr (HasNames<Value>) return column.kind == schema::word;
  else if (column.field != schema::Field::required) return false;
  else if constexpr (std::is_same_v<Value, bool>) return column.kind == schema::flag;
  else if constexpr (std::is_same_v<Value, std::uint64_t>)
    return column.kind == schema::count || column.kind == schema::offset;
  else if constexpr (std::is_same_v<Value, SizeBin>) return column.kind == schema::count;
  else if constexpr (std::is_same_v<Value, WorldRank>)
    return column.kind == schema::rank || column.kind == schema::peer;
  else return column.kind == schema::seconds || column.kind == schema::share;
}

template <class Row>
struct Rows<Row>::File {
  using Of = Table<Row>;

  File(CsvFile&& table, Profile const& its_profile, bool begins_with_row_before = false)
      : csv(std::move(table)),
        profile(its_profile),
        ranks(its_profile.run().ranks),
        has_row_before(begins_with_row_before) {}

  static CsvFile open(Profile const& profile) {
    if constexpr (requires { Of::content; }) {
      if (!profile.holds(Of::file))
        throw ProfileError(profile.files().file(Of::file.name).shown, std::nullopt,
                           fmt::format("this profile was written without {}", Of::content));
    }
    return CsvFile(profile.files().file(Of::file.name), Of::file);
  }

  Row const* next(bool has_details) {
    for (;;) {
      is_row_before = has_row_before && csv.rows() == 0;
      if (!csv.next()) return nullptr;
      if constexpr (requires { Of::of_details; })
        if (!has_details && !is_row_before && !csv.text(place_of(Of::of_details)).empty()) continue;
      read(std::make_index_sequence<std::tuple_size_v<decltype(Of::fields)>>());
      if constexpr (requires { Of::check(row, *this); }) Of::check(row, *this);
      if (!is_row_before) return &row;
    }
  }

  [[noreturn]] void fail(std::string_view problem) const { csv.fail(problem); }

  CsvFile csv;
  Profile const& profile;
  std::uint32_t ranks;
  bool has_row_before;          // the first row precedes the part; the next row is compared with it
  bool is_row_before = false;   // whether the current row is that first one
  std::uint32_t next_rank = 0;  // for the check of a table in the order of ranks
  Row row{};

 private:
  // The place of a column of the schema: an unknown name does not compile.
  static consteval std::size_t place_of(std::string_view column) {
    std::size_t const place = Of::file.place(column);
    if (place == Of::file.columns.size()) throw "the schema has no column of this name";
    return place;
  }

  template <std::size_t... i>
  void read(std::index_sequence<i...> /*fields*/) {
    (read_field<i>(), ...);
  }
  template <std::size_t i>
  void read_field() {
    constexpr auto& field = std::get<i>(Of::fields);
    auto& member = row.*field.member;
    using Value = std::remove_reference_t<decltype(member)>;
    constexpr std::size_t column = place_of(field.column);
    static_assert(fits<Value>(Of::file.columns[column]), "a member whose type is not that of the column");
    member = value_of<Value, column>();
  }

  template <class Value, std::size_t column>
  Value value_of() const {
    namespace schema = commprof::schema;
    constexpr schema::Column facts = Of::file.columns[column];
    if constexpr (IsOptional<Value>::value) {
      return csv.text(column).empty() ? Value() : Value(value_of<typename Value::value_type, column>());
    } else if constexpr (std::is_same_v<Value, std::string_view>) {
      constexpr bool may_be_empty =
          facts.field != schema::Field::required || (facts.kind != schema::name && facts.kind != schema::word);
      if (!may_be_empty && csv.text(column).empty()) fail(fmt::format("{} is empty", facts.name));
      return csv.text(column);
    } else if constexpr (HasNames<Value>) {
      std::string_view const name = csv.text(column);
      if (facts.field != schema::Field::required && name.empty()) return Value();
      auto const& names = names_in_files(Value());
      std::optional<Value> const one = names.parse(name);
      if (!one) fail(fmt::format("{} is not one of {}: \"{}\"", facts.name, names.list(), name));
      return *one;
    } else if constexpr (std::is_same_v<Value, bool>) {
      bool const is_set = csv.text(column) == "1";
      if (!is_set && csv.text(column) != "0") fail(fmt::format("{} is neither 0 nor 1", facts.name));
      return is_set;
    } else if constexpr (facts.kind == schema::offset) {
      return offset_of(csv.text(column));
    } else if constexpr (std::is_same_v<Value, SizeBin>) {
      static_assert(facts.name == size_columns[0]);
      SizeBin const size{csv.count(column), csv.count(place_of(size_columns[1]))};
      if (size.min_bytes > size.max_bytes) fail("size_min is greater than size_max");
      return size;
    } else if constexpr (std::is_same_v<Value, WorldRank>) {
      if (facts.kind == schema::peer && csv.text(column) == "-1") return other_world;
      std::uint64_t const rank = csv.count(column);
      if (rank >= ranks) fail(fmt::format("rank {} in a run of {} ranks", rank, ranks));
      return static_cast<WorldRank>(rank);
    } else if constexpr (facts.kind == schema::count) {
      return csv.count(column);
    } else {
      return csv.seconds<Value>(column);
    }
  }

  [[nodiscard]] std::uint64_t offset_of(std::string_view text) const {
    std::uint64_t offset = 0;
    char const* const end = text.data() + text.size();
    if (text.starts_with("0x")) {
      auto const [stopped, error] = std::from_chars(text.data() + 2, end, offset, 16);
      if (error == std::errc() && stopped == end) return offset;
    }
    fail(fmt::format("offset is no number like 0x4a2f: \"{}\"", text));
  }
};

template <class Row>
Rows<Row>::Rows(Profile const& profile)
    : file_(std::make_unique<File>(File::open(profile), profile)), is_whole_(true) {}
template <class Row>
Rows<Row>::Rows(std::unique_ptr<File> file) : file_(std::move(file)) {}
template <class Row>
Rows<Row>::Rows(Rows&&) noexcept = default;
template <class Row>
Rows<Row>::~Rows() = default;

template <class Row>
Row const* Rows<Row>::next(bool has_details) {
  Row const* const row = file_->next(has_details);
  if (row == nullptr && is_whole_) check_row_count(file_->profile, rows_read());
  return row;
}

template <class Row>
void Rows<Row>::fail(std::string_view problem) const {
  file_->csv.fail(problem);
}

template <class Row>
void Rows<Row>::fail(Profile const& profile, std::string_view problem) {
  throw ProfileError(profile.files().file(Table<Row>::file.name).shown, std::nullopt, problem);
}

// Does not count the row before a part.
template <class Row>
std::uint64_t Rows<Row>::rows_read() const {
  std::uint64_t const rows = file_->csv.rows();
  return rows - (file_->has_row_before && rows > 0 ? 1 : 0);
}

// A small table has one part; so does a file that cannot be read twice, such as a pipe.
template <class Row>
std::vector<Rows<Row>> Rows<Row>::parts(Profile const& profile) {
  auto whole = File::open(profile);
  std::optional<std::size_t> together;
  if constexpr (requires { Table<Row>::together; }) together = Table<Row>::file.place(Table<Row>::together);
  std::vector<CsvPart> const parts = whole.divide(together);
  std::vector<Rows> rows;
  if (parts.size() == 1) rows.push_back(Rows(std::make_unique<File>(std::move(whole), profile)));
  else
    for (auto const& [range, has_row_before] : parts)
      rows.push_back(Rows(std::make_unique<File>(CsvFile(whole, range), profile, has_row_before)));
  return rows;
}

template <class Row>
void Rows<Row>::check_row_count(Profile const& profile, std::uint64_t rows) {
  std::optional<std::uint64_t> expected = profile.expected_rows(Table<Row>::file.name);
  if constexpr (requires { Table<Row>::expected_rows(profile); }) expected = Table<Row>::expected_rows(profile);
  if (!expected || rows == *expected) return;
  auto const fail = [&](std::uint64_t line, std::string const& problem) {
    throw ProfileError(profile.files().file(Table<Row>::file.name).shown, line, problem);
  };
  if (rows < *expected) fail(rows + 1, fmt::format("cut off after {} of {} rows", rows, *expected));
  fail(*expected + 2, fmt::format("more rows than the {} that {} counts", *expected, commprof::schema::run_file));
}

}  // namespace mpisee_through
