#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mpisee_through {

// Reads a line of text from left to right. A function that does not find what it looks for leaves the rest of the line
// unchanged.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool empty() const { return rest_.empty(); }

  void skip_blanks() {
    std::size_t const begin = rest_.find_first_not_of(" \t");
    rest_.remove_prefix(begin == std::string_view::npos ? rest_.size() : begin);
  }

  // Skips blanks, then takes this text.
  bool take(std::string_view text) {
    skip_blanks();
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  // Skips everything up to the end of the first occurrence of this text.
  bool skip_past(std::string_view text) {
    std::size_t const at = rest_.find(text);
    if (at == std::string_view::npos) return false;
    rest_.remove_prefix(at + text.size());
    return true;
  }

  template <class Number = std::uint32_t>
  std::optional<Number> number(int base = 10) {
    skip_blanks();
    Number value{};
    auto const [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  // Takes the text between the two characters.
  std::optional<std::string_view> between(char open, char close) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != open) return std::nullopt;
    std::size_t const end = rest_.find(close, 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view const inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return inside;
  }

  // Takes the text up to the next blank.
  std::string_view word() {
    skip_blanks();
    std::string_view const word = rest_.substr(0, rest_.find_first_of(" \t"));
    rest_.remove_prefix(word.size());
    return word;
  }

 private:
  std::string_view rest_;
};

}  // namespace mpisee_through
