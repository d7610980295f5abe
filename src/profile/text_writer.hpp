// Formats CSV and JSON into a buffer of fixed size and passes it on when it is full. Rows may have any length; nothing
// is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/utf8.hpp"

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
  // Makes room so that the next `length` bytes are passed on in one piece. length: at most the capacity.
  void keep_together(std::size_t length) {
    if (capacity_ - size_ < length) flush();
  }

  TextWriter& raw(std::string_view text);
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
  char* buffer_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  Sink sink_;
  void* context_;
};

}  // namespace commprof
