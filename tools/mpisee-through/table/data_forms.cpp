// CSV, JSON, and the data of a page.
#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "reader/profile_reader.hpp"
#include "table/document.hpp"

namespace mpisee_through::table {
namespace {

using Indices = std::vector<std::size_t>;

std::string key_of_bound(Heading const& column) { return column.key + "_bound"; }

// The columns of a form; `bounds` those whose marks follow them.
struct DataColumns {
  Indices values, bounds;
};
DataColumns data_columns(Table const& table, In form) {
  DataColumns found;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!is_in(table.columns[i].in, form)) continue;
    found.values.push_back(i);
    if (table.columns[i].has_bounds) found.bounds.push_back(i);
  }
  return found;
}

void write_table_csv(std::ostream& out, Table const& table, std::string_view profile, bool is_first) {
  DataColumns const columns = data_columns(table, In::csv);
  std::string first;
  if (!profile.empty()) Value(profile).add_csv(first), first += ',';
  if (is_first) {
    std::string keys = profile.empty() ? "" : "profile,";
    for (std::size_t const column : columns.values) keys += table.columns[column].key + ",";
    for (std::size_t const column : columns.bounds) keys += key_of_bound(table.columns[column]) + ",";
    keys.back() = '\n';
    out << keys;
  }
  write_in_order(out, table.lines, [&](std::string& text, std::size_t line) {
    text += first;
    for (std::size_t const column : columns.values) {
      table.at(line, column).add_csv(text);
      text += ',';
    }
    for (std::size_t const column : columns.bounds) {
      text += words_of(table.at(line, column).bound());
      text += ',';
    }
    text.back() = '\n';
  });
}

Json heading(Heading const& column) {
  Json object{{"key", column.key}, {"title", column.title}, {"kind", name_of(column.kind)}};
  if (column.title.find_first_not_of(' ') == std::string::npos) object.erase("title");
  return object;
}

Json object_of(Table const& table, DataColumns const& columns, std::size_t line) {
  Json object = Json::object();
  // Skips the search for an existing key, which operator[] does and which takes longer than all else.
  auto& members = object.get_ref<Json::object_t&>();
  for (std::size_t const column : columns.values)
    members.emplace_back(table.columns[column].key, table.at(line, column).json());
  for (std::size_t const column : columns.bounds) {
    std::string_view const words = words_of(table.at(line, column).bound());
    members.emplace_back(key_of_bound(table.columns[column]), words.empty() ? Json() : Json(words));
  }
  return object;
}

void write_table_json(std::ostream& out, Table const& table) {
  DataColumns const columns = data_columns(table, In::json);
  Json headings = Json::array();
  for (std::size_t const column : columns.values) headings.push_back(heading(table.columns[column]));
  out << "{\"name\": " << dump(table.name) << ", \"columns\": " << dump(headings);
  if (table.hidden > 0) out << ", \"left_out\": " << table.hidden;
  out << ", \"lines\": [";
  write_in_order(out, table.lines, [&](std::string& text, std::size_t line) {
    Json const object = object_of(table, columns, line);
    text += line == 0 ? "\n  " : ",\n  ";
    text += dump(object);
  });
  out << "]}";
}

// A bound and a text with an order become objects, any other value stays plain.
Json cell(Value const& value) {
  if (value.order()) return {{"value", value.json()}, {"by", *value.order()}};
  if (value.bound() == Bound::none) return value.json();
  return {{"value", value.json()}, {"bound", words_of(value.bound())}};
}

// The page shows the columns with titles, without bars; of a table without titles those of CSV.
Indices page_columns(Table const& table) {
  Indices columns = table.titled;
  std::erase_if(columns, [&](std::size_t column) {
    return table.columns[column].kind == Kind::bar || !is_in(table.columns[column].in, In::page);
  });
  return columns.empty() ? data_columns(table, In::csv).values : columns;
}

// Columns that only the drawing has: it names them.
Indices drawn_columns(Table const& table, Indices const& shown) {
  Indices columns;
  std::string const drawing = table.drawing.dump();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    auto const is_named = [&](std::size_t column) { return table.columns[column].key == table.columns[i].key; };
    if (std::ranges::any_of(shown, is_named) || std::ranges::any_of(columns, is_named)) continue;
    if (drawing.find('"' + table.columns[i].key + '"') != drawing.npos) columns.push_back(i);
  }
  return columns;
}

Json page_table(Table const& table) {
  Json headings = Json::array(), lines = Json::array();
  Indices columns = page_columns(table);
  std::size_t const shown = columns.size();
  std::ranges::copy(drawn_columns(table, columns), std::back_inserter(columns));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Json& one = headings.emplace_back(heading(table.columns[columns[i]]));
    if (!one.contains("title")) one["title"] = one["key"];
    if (i >= shown) one["drawn"] = true;
  }
  for (std::size_t line = 0; line < table.lines; ++line) {
    Json& cells = lines.emplace_back(Json::array());
    for (std::size_t const column : columns) cells.push_back(cell(table.at(line, column)));
  }
  return {{"name", table.name},        {"title", table.title},
          {"noun", table.noun},        {"columns", std::move(headings)},
          {"lines", std::move(lines)}, {"above", table.above},
          {"below", table.below},      {"hidden", table.hidden},
          {"drawing", table.drawing},  {"if_empty", table.if_empty}};
}

}  // namespace

void write_csv(std::ostream& out, Document const& document, std::string_view profile, bool is_first) {
  auto const table = std::ranges::find_if(document.tables, [](Table const& one) { return is_in(one.in, In::csv); });
  if (table == document.tables.end()) throw std::logic_error("no table is in CSV");
  write_table_csv(out, *table, profile, is_first);
}

void write_json(std::ostream& out, Document const& document) {
  Json notes = Json::array();
  for (auto const& [label, text] : document.notes) notes.push_back({{"label", label}, {"text", text}});
  out << "{\"run\": " << dump(document.run) << ",\n \"notes\": " << dump(notes) << ",\n \"tables\": [";
  char const* before = "\n ";
  for (Table const& table : document.tables) {
    if (!is_in(table.in, In::json)) continue;
    out << before;
    write_table_json(out, table);
    before = ",\n ";
  }
  out << "]}";
}

Json page_json(Document const& document) {
  Json notes = Json::array(), tables = Json::array();
  for (auto const* const list : {&document.head, &document.notes})
    for (auto const& [label, text] : *list) notes.push_back({label, text});
  for (Table const& table : document.tables)
    if (is_in(table.in, In::page) && (table.lines > 0 || !table.if_empty.empty())) tables.push_back(page_table(table));
  return {{"notes", std::move(notes)}, {"tables", std::move(tables)}};
}

void write(std::ostream& out, Format format, std::span<Document const> documents, Terminal const& terminal) {
  bool const are_several = documents.size() > 1;
  if (format == Format::json && are_several) out << '[';
  for (Document const& one : documents) {
    bool const is_first = &one == &documents.front();
    if (format == Format::csv)
      write_csv(out, one, are_several ? one.run["profile"].get<std::string>() : std::string(), is_first);
    else if (format == Format::json) write_json(out << (is_first ? "" : ",\n"), one);
    else write_text(out << (is_first ? "" : "\n\n"), one, terminal);
  }
  if (format == Format::json) out << (are_several ? "]\n" : "\n");
}

}  // namespace mpisee_through::table
