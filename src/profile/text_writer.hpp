// Formats CSV and JSON into a buffer of fixed size that is handed on whenever it is full: no allocation, no limit on a
// row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/utf8.hpp"

namespace commprof {

class TextWriter {
 public:
  // Takes what the buffer holds; called with room for all of it to be gone afterwards.
  using Sink = void (*)(void* context, char const* text, std::size_t length);

  TextWriter(char* buffer, std::size_t capacity, Sink sink, void* context)
      : buffer_(buffer), capacity_(capacity), sink_(sink), context_(context) {}
  TextWriter(TextWriter const&) = delete;
  TextWriter& operator=(TextWriter const&) = delete;
  ~TextWriter() { flush(); }

  void flush();
  // Has so much of what follows handed on in one piece. At most the buffer's capacity.
  void keep_together(std::size_t length) {
    if (capacity_ - size_ < length) flush();
  }

  TextWriter& raw(std::string_view text);
  TextWriter& number(std::uint64_t value);
  TextWriter& number(std::int64_t value);
  // Seconds with nine decimals.
  TextWriter& seconds(std::uint64_t nanoseconds) { return seconds(0, nanoseconds); }
  TextWriter& seconds(std::uint64_t seconds, std::uint64_t nanoseconds);

  // A CSV field (RFC 4180) from any bytes: quoted where it must be, one line, valid UTF-8. What is not printable
  // appears as \xHH for each byte.
  TextWriter& field(std::string_view text);
  // A JSON string, quotes included, from any bytes: what is not UTF-8 becomes U+FFFD.
  TextWriter& json_string(std::string_view text);

 private:
  char* buffer_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  Sink sink_;
  void* context_;
};

}  // namespace commprof
