// Formats CSV and JSON into a buffer of fixed size and passes it on when it is full. Rows may have any length; nothing
// is allocated. The compiler checks the names and kinds of a row's cells against the schema.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/memory.hpp"
#include "base/text.hpp"
#include "profile/schema.hpp"

namespace commprof {

class TextWriter {
 public:
  // Must accept the whole text, which the buffer then drops.
  using Sink = void (*)(void* context, char const* text, std::size_t length);

  TextWriter(char* buffer, std::size_t capacity, Sink sink, void* context)
      : buffer_(buffer), capacity_(capacity), sink_(sink), context_(context) {}
  TextWriter(TextWriter const&) = delete;
  TextWriter& operator=(TextWriter const&) = delete;
  ~TextWriter() { flush(); }

  void flush();

  TextWriter& raw(std::string_view text) {
    if (text.size() > capacity_ - size_) return raw_in_parts(text);
    size_ += text.copy(buffer_ + size_, text.size());
    return *this;
  }
  TextWriter& number(std::uint64_t value);
  TextWriter& number(std::int64_t value);
  TextWriter& hexadecimal(std::uint64_t value);  // 0x4a2f
  // A number of seconds with nine decimals.
  TextWriter& seconds(std::uint64_t nanoseconds) { return seconds(0, nanoseconds); }
  TextWriter& seconds(std::uint64_t seconds, std::uint64_t nanoseconds);

  // A CSV field (RFC 4180) from any bytes: quoted if necessary, one line, valid UTF-8. Each byte that is not printable
  // becomes \xHH.
  TextWriter& field(std::string_view text);
  // A JSON string with its quotes, from any bytes: invalid UTF-8 becomes U+FFFD.
  TextWriter& json_string(std::string_view text);

 private:
  TextWriter& raw_in_parts(std::string_view text);

  char* buffer_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  Sink sink_;
  void* context_;
};

// Appends what write(out) writes to a text. False if memory is used up: the text is then cut off.
template <class Write>
bool append_written(PageVector<char>& text, Write&& write) {
  struct Written {
    PageVector<char>& text;
    bool is_whole = true;
    static void put(void* self, char const* part, std::size_t length) {
      auto& to = *static_cast<Written*>(self);
      std::size_t const before = to.text.size();
      to.is_whole = to.is_whole && to.text.resize(before + length);
      if (to.is_whole) std::copy_n(part, length, to.text.begin() + before);
    }
  } written{text};
  {
    char buffer[1024];
    TextWriter out(buffer, sizeof buffer, Written::put, &written);
    write(out);
  }
  return written.is_whole;
}

// A column's name as a template argument.
template <std::size_t size>
struct ColumnName {
  consteval ColumnName(char const (&name)[size]) { std::copy_n(name, size, text); }
  [[nodiscard]] constexpr std::string_view view() const { return {text, size - 1}; }
  char text[size]{};
};

struct Nanoseconds {
  std::uint64_t value;
  std::uint64_t seconds = 0;  // to be added
};
struct Billionths {
  std::uint64_t value;
};
struct Hexadecimal {
  std::uint64_t value;
};

template <ColumnName name, class Value>
struct Cell {
  Value value;
};

// cell<"rank">(3). std::nullopt leaves a cell empty.
template <ColumnName name, class Value>
constexpr Cell<name, Value> cell(Value value) {
  return {value};
}
template <ColumnName name>
constexpr Cell<name, std::string_view> cell(char const* value) {
  return {value};
}

namespace csv_row {

// Whether a column has values of the type.
template <class Value>
consteval bool fits(schema::Column const& column, Value const*) {
  using enum schema::Kind;
  schema::Kind const kind = column.kind;
  if (std::same_as<Value, std::string_view>) return kind == text || kind == name || kind == word || kind == rank_list;
  if (std::same_as<Value, std::int32_t>) return kind == rank || kind == peer;
  if (std::same_as<Value, std::uint64_t>) return kind == count;
  if (std::same_as<Value, Hexadecimal>) return kind == offset;
  if (std::same_as<Value, bool>) return kind == flag;
  return std::same_as<Value, Nanoseconds> ? kind == seconds : std::same_as<Value, Billionths> && kind == share;
}
template <class Value>
consteval bool fits(schema::Column const& column, std::optional<Value> const*) {
  return column.field != schema::Field::required && fits(column, static_cast<Value const*>(nullptr));
}

inline void write(TextWriter& out, std::string_view value) { out.field(value); }
inline void write(TextWriter& out, std::int32_t value) { out.number(std::int64_t{value}); }
inline void write(TextWriter& out, std::uint64_t value) { out.number(value); }
inline void write(TextWriter& out, std::same_as<bool> auto value) { out.raw(value ? "1" : "0"); }
inline void write(TextWriter& out, Nanoseconds value) { out.seconds(value.seconds, value.value); }
inline void write(TextWriter& out, Billionths value) { out.seconds(value.value); }
inline void write(TextWriter& out, Hexadecimal value) { out.hexadecimal(value.value); }
template <class Value>
void write(TextWriter& out, std::optional<Value> const& value) {
  if (value) write(out, *value);
}

}  // namespace csv_row

// Writes a row of the table with these columns.
template <auto const& columns, ColumnName... names, class... Values>
void write_row(TextWriter& out, Cell<names, Values> const&... cells) {
  constexpr std::array<std::string_view, sizeof...(names)> written{names.view()...};
  static_assert(std::ranges::equal(written, columns, {}, {}, &schema::Column::name),
                "cells and columns differ in name");
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    static_assert((csv_row::fits(columns[i], static_cast<Values const*>(nullptr)) && ...), "a value of another kind");
    ((csv_row::write(out, cells.value), out.raw(i + 1 == sizeof...(i) ? "\n" : ",")), ...);
  }
  (std::index_sequence_for<Values...>());
}

}  // namespace commprof
