#include <algorithm>

#include "table/forms.hpp"
#include "table/json_document.hpp"

namespace mpisee_through::table {
namespace {

constexpr char separator = '.';  // of the parts of a key

std::string csv_key(Heading const& column) {
  std::string key = column.key;
  std::ranges::replace(key, separator, '_');
  return key;
}

std::string key_of_bound(Heading const& column) { return column.key + "_bound"; }

// Where the key has two parts, into the object that the first one names.
void add_member(Json& object, std::string const& key, Json value) {
  std::size_t const end = key.find(separator);
  if (end != std::string::npos) {
    object[key.substr(0, end)][key.substr(end + 1)] = std::move(value);
    return;
  }
  // Looking up whether it is there already, as operator[] does, takes longer than all else.
  object.get_ref<Json::object_t&>().emplace_back(key, std::move(value));
}

// An object of which nothing is known is null.
void join_nulls(Json& object, Table const& table) {
  for (Heading const& column : table.columns) {
    std::size_t const end = column.key.find(separator);
    if (!column.is_in_json() || end == std::string::npos) continue;
    Json& inner = object[column.key.substr(0, end)];
    if (std::ranges::all_of(inner, [](Json const& value) { return value.is_null(); })) inner = nullptr;
  }
}

// Comma-separated lines, handed on in large pieces.
class CsvWriter {
 public:
  explicit CsvWriter(std::ostream& out) : out_(out) {}
  ~CsvWriter() { flush(); }
  CsvWriter(CsvWriter const&) = delete;
  CsvWriter& operator=(CsvWriter const&) = delete;

  void add_word(std::string_view word) { next_field() += word; }
  void add(Value const& value) { value.add_csv(next_field()); }
  void end_line() {
    text_ += '\n';
    is_first_ = true;
    if (text_.size() > piece) flush();
  }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 16U;

  std::string& next_field() {
    if (!is_first_) text_ += ',';
    is_first_ = false;
    return text_;
  }
  void flush() {
    out_ << text_;
    text_.clear();
  }

  std::ostream& out_;
  std::string text_;
  bool is_first_ = true;
};

// Calls visit(column) for each column of CSV, then visit_bound(column) for each that may have bounds.
template <class Visit, class VisitBound>
void for_each_field(Table const& table, Visit visit, VisitBound visit_bound) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].is_in_csv()) visit(i);
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].is_in_csv() && table.columns[i].has_bounds) visit_bound(i);
}

void add_keys(CsvWriter& csv, Table const& table) {
  for_each_field(
      table, [&](std::size_t column) { csv.add_word(csv_key(table.columns[column])); },
      [&](std::size_t column) { csv.add_word(key_of_bound(table.columns[column])); });
}

void add_line(CsvWriter& csv, Table const& table, std::size_t line) {
  for_each_field(
      table, [&](std::size_t column) { csv.add(table.at(line, column)); },
      [&](std::size_t column) { csv.add_word(words_of(table.at(line, column).bound())); });
}

}  // namespace

void write_csv(std::ostream& out, Table const& table) {
  CsvWriter csv(out);
  add_keys(csv, table);
  csv.end_line();
  for (std::size_t line = 0; line < table.lines; ++line) {
    add_line(csv, table, line);
    csv.end_line();
  }
}

void write_csv(std::ostream& out, Nested const& nested) {
  CsvWriter csv(out);
  add_keys(csv, nested.outer);
  add_keys(csv, nested.inner);
  csv.end_line();
  for (std::size_t outer = 0; outer < nested.outer.lines; ++outer) {
    for (std::size_t line = nested.begin[outer]; line < nested.end_of(outer); ++line) {
      add_line(csv, nested.outer, outer);
      add_line(csv, nested.inner, line);
      csv.end_line();
    }
  }
}

Json json_object(Table const& table, std::size_t line) {
  Json object = Json::object();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    Heading const& column = table.columns[i];
    if (column.is_in_json()) add_member(object, column.key, table.at(line, i).json());
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    Heading const& column = table.columns[i];
    if (!column.is_in_json() || !column.has_bounds) continue;
    std::string_view const words = words_of(table.at(line, i).bound());
    add_member(object, key_of_bound(column), words.empty() ? Json() : Json(words));
  }
  join_nulls(object, table);
  if (table.members) table.members(line, object);
  return object;
}

void write_json(std::ostream& out, Table const& table, Json const& members) {
  Document document(out, members, table.name);
  for (std::size_t line = 0; line < table.lines; ++line) document.add(json_object(table, line));
}

void write_json(std::ostream& out, Nested const& nested, Json const& members) {
  Document document(out, members, nested.outer.name);
  for (std::size_t outer = 0; outer < nested.outer.lines; ++outer) {
    Json object = json_object(nested.outer, outer);
    Json& list = object[nested.inner.name] = Json::array();
    for (std::size_t line = nested.begin[outer]; line < nested.end_of(outer); ++line)
      list.push_back(json_object(nested.inner, line));
    document.add(object);
  }
}

Json json_list(Table const& table) {
  Json list = Json::array();
  for (std::size_t line = 0; line < table.lines; ++line) list.push_back(json_object(table, line));
  return list;
}

}  // namespace mpisee_through::table
