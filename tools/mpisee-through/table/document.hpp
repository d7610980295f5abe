// A document is what a view answers: whom it is about, notes, and tables. Four functions write it: as text for people,
// as CSV and JSON for programs, and as the data of a page for a browser. They know no view.
//
// Text rounds numbers, the other forms have all digits. An unknown value is "-" in text, empty in CSV and null in JSON.
// A bound is marked: "at most 12.3 %" in text, column KEY_bound in CSV and JSON.
#pragma once

#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "table/view.hpp"
#include "text/terminal.hpp"

namespace mpisee_through::table {

// A fact: "Slow       rank 3: …". Without a label, whole lines of text.
struct Note {
  Note(std::string its_label, std::string its_text) : label(std::move(its_label)), text(std::move(its_text)) {}
  std::string label, text;
};
[[nodiscard]] std::string line_of(Note const& note);

// NOLINTNEXTLINE(bugprone-exception-escape): the null that `run` begins with allocates nothing
struct Document {
  Json run{};                // the profile; null if there is none
  std::vector<Note> head{};  // what `run` says, for people
  std::vector<Note> notes{};
  std::vector<Table> tables{};
  std::shared_ptr<void const> of{};  // what the tables refer to
};

// Lets the document keep what its tables refer to, beside what it keeps already.
inline void keep(Document& document, std::shared_ptr<void const> of) {
  using Both = std::pair<std::shared_ptr<void const>, std::shared_ptr<void const>>;
  document.of = std::make_shared<Both>(document.of, std::move(of));
}

enum class Format { text, csv, json, html };

// Writes documents of several profiles, one view of each, in any format but html.
void write(std::ostream& out, Format format, std::span<Document const> documents, Terminal const& terminal);

void write_text(std::ostream& out, Document const& document, Terminal const& terminal);
// The first table that is in CSV. profile: the value of a first column, if there are several; is_first: with titles.
void write_csv(std::ostream& out, Document const& document, std::string_view profile = {}, bool is_first = true);
// {"run", "notes": [{"label", "text"}], "tables": [{"name", "columns": [{"key", "title", "kind"}], "left_out", "lines":
// [{key: value}]}]}. Lines have the columns of CSV.
void write_json(std::ostream& out, Document const& document);
// What a page shows: {"notes": [[label, text]], "tables": [{"name", "title", "noun", "columns": [{"key", "title",
// "kind", "drawn"}], "lines": [[cell, …]], "above", "below", "hidden", "drawing"}]}. Columns are those for people
// except bars, and those that only the drawing has ("drawn"). A cell is a value with all digits, {"value", "bound"}, or
// {"value", "by"}: the number to sort a text by.
[[nodiscard]] Json page_json(Document const& document);

void write_text(std::ostream& out, Table const& table, Terminal const& terminal);
// The width of the table's lines in text.
[[nodiscard]] std::size_t width_of_text(Table const& table);

}  // namespace mpisee_through::table

namespace mpisee_through {
using table::Document, table::Format, table::Note;
}  // namespace mpisee_through
