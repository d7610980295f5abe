#include <algorithm>
#include <initializer_list>

#include "reader/parallel.hpp"
#include "table/forms.hpp"
#include "table/json_document.hpp"

namespace mpisee_through::table {
namespace {

constexpr char separator = '.';  // between the two parts of a key

std::string csv_key(Heading const& column) {
  std::string key = column.key;
  std::ranges::replace(key, separator, '_');
  return key;
}

std::string key_of_bound(Heading const& column) { return column.key + "_bound"; }

// Adds a member. A key with two parts goes into the object that its first part names.
void add_member(Json& object, std::string const& key, Json value) {
  std::size_t const end = key.find(separator);
  if (end != std::string::npos) {
    object[key.substr(0, end)][key.substr(end + 1)] = std::move(value);
    return;
  }
  // Skips the search for an existing key, which operator[] does and which takes longer than all else.
  object.get_ref<Json::object_t&>().emplace_back(key, std::move(value));
}

// Replaces an object by null if all its members are null.
void join_nulls(Json& object, Table const& table) {
  for (Heading const& column : table.columns) {
    std::size_t const end = column.key.find(separator);
    if (!column.is_in_json() || end == std::string::npos) continue;
    Json& inner = object[column.key.substr(0, end)];
    if (std::ranges::all_of(inner, [](Json const& value) { return value.is_null(); })) inner = nullptr;
  }
}

// Appends lines of comma-separated fields.
class CsvWriter {
 public:
  explicit CsvWriter(std::string& text) : text_(text) {}

  void add_word(std::string_view word) { next_field() += word; }
  void add(Value const& value) { value.add_csv(next_field()); }
  void end_line() {
    text_ += '\n';
    is_first_ = true;
  }

 private:
  std::string& next_field() {
    if (!is_first_) text_ += ',';
    is_first_ = false;
    return text_;
  }

  std::string& text_;
  bool is_first_ = true;
};

// Writes what format(text, begin, end) appends for the parts of 0 to count, in order. All threads format.
template <class Format>
void write_in_order(std::ostream& out, std::size_t count, Format const& format) {
  constexpr std::size_t of_one_text = 256;
  std::vector<std::string> texts(16 * threads_at_once());
  for (std::size_t begin = 0; begin < count; begin += texts.size() * of_one_text) {
    auto const begin_of = [&](std::size_t text) { return std::min(count, begin + text * of_one_text); };
    std::size_t const used = std::min(texts.size(), (count - begin + of_one_text - 1) / of_one_text);
    run_in_parallel(used, [&](std::size_t i) {
      texts[i].clear();
      format(texts[i], begin_of(i), begin_of(i + 1));
    });
    for (std::size_t i = 0; i < used; ++i) out << texts[i];
  }
}

// Calls visit(column) for each CSV column, then visit_bound(column) for each column that may have bounds.
template <class Visit, class VisitBound>
void for_each_field(Table const& table, Visit visit, VisitBound visit_bound) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].is_in_csv()) visit(i);
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].is_in_csv() && table.columns[i].has_bounds) visit_bound(i);
}

std::string keys_of(std::initializer_list<Table const*> tables) {
  std::string text;
  CsvWriter csv(text);
  for (Table const* table : tables)
    for_each_field(
        *table, [&](std::size_t column) { csv.add_word(csv_key(table->columns[column])); },
        [&](std::size_t column) { csv.add_word(key_of_bound(table->columns[column])); });
  csv.end_line();
  return text;
}

void add_line(CsvWriter& csv, Table const& table, std::size_t line) {
  for_each_field(
      table, [&](std::size_t column) { csv.add(table.at(line, column)); },
      [&](std::size_t column) { csv.add_word(words_of(table.at(line, column).bound())); });
}

}  // namespace

void write_csv(std::ostream& out, Table const& table) {
  out << keys_of({&table});
  write_in_order(out, table.lines, [&](std::string& text, std::size_t begin, std::size_t end) {
    CsvWriter csv(text);
    for (std::size_t line = begin; line < end; ++line) {
      add_line(csv, table, line);
      csv.end_line();
    }
  });
}

void write_csv(std::ostream& out, Nested const& nested) {
  out << keys_of({&nested.outer, &nested.inner});
  bool const has_outer = std::ranges::any_of(nested.outer.columns, &Heading::is_in_csv);
  write_in_order(out, nested.inner.lines, [&](std::string& text, std::size_t begin, std::size_t end) {
    CsvWriter csv(text);
    std::string outer;
    for (std::size_t line = begin, block = nested.block_of(begin); line < end; ++line) {
      bool const is_next = line == nested.end_of(block);
      if (is_next) block = nested.block_of(line);
      if (is_next || line == begin) {
        outer.clear();
        CsvWriter of_block(outer);
        add_line(of_block, nested.outer, block);
      }
      if (has_outer) csv.add_word(outer);
      add_line(csv, nested.inner, line);
      csv.end_line();
    }
  });
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

namespace {

template <class ObjectOf>
void write_objects(std::ostream& out, Json const& members, std::string_view name, std::size_t count,
                   ObjectOf const& object_of) {
  Document document(out, members, name);
  write_in_order(out, count, [&](std::string& text, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      text += Document::before(i == 0);
      text += object_of(i).dump();
    }
  });
}

}  // namespace

void write_json(std::ostream& out, Table const& table, Json const& members) {
  write_objects(out, members, table.name, table.lines, [&](std::size_t line) { return json_object(table, line); });
}

void write_json(std::ostream& out, Nested const& nested, Json const& members) {
  write_objects(out, members, nested.outer.name, nested.outer.lines, [&](std::size_t outer) {
    Json object = json_object(nested.outer, outer);
    Json& list = object[nested.inner.name] = Json::array();
    for (std::size_t line = nested.begin[outer]; line < nested.end_of(outer); ++line)
      list.push_back(json_object(nested.inner, line));
    return object;
  });
}

Json json_list(Table const& table) {
  Json list = Json::array();
  for (std::size_t line = 0; line < table.lines; ++line) list.push_back(json_object(table, line));
  return list;
}

}  // namespace mpisee_through::table
