#include "files/text_lines.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "files/profile_error.hpp"

namespace mpisee_through {

namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  text = text.substr(0, text.find('#'));
  auto const begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return "";
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

constexpr std::size_t most_names = 1'000'000;
constexpr std::size_t longest_name = 255;  // of a host in DNS

// The numbers of "01-16,20" as texts; numbers of a range are as wide as its first one.
std::optional<std::vector<std::string>> expand_ranges(std::string_view ranges) {
  std::vector<std::string> numbers;
  while (true) {
    std::string_view const range = ranges.substr(0, ranges.find(','));
    std::string_view const first = range.substr(0, range.find('-'));
    std::string_view const last = first.size() == range.size() ? first : range.substr(first.size() + 1);
    auto const begin = number_in<std::uint64_t>(first), end = number_in<std::uint64_t>(last);
    if (first.size() > longest_name || !begin || !end || *end < *begin) return std::nullopt;
    if (*end - *begin >= most_names - numbers.size()) return std::nullopt;
    for (std::uint64_t i = *begin; i <= *end; ++i) numbers.push_back(fmt::format("{:0{}}", i, first.size()));
    if (range.size() == ranges.size()) return numbers;
    ranges.remove_prefix(range.size() + 1);
  }
}

// Expands one member of the list, which may have several brackets.
std::optional<std::vector<std::string>> expand_member(std::string_view member) {
  std::size_t const open = member.find('['), close = member.find(']');
  if (close < open || (open != member.npos && close == member.npos)) return std::nullopt;
  if (std::ranges::count(member, '[') > std::ptrdiff_t{longest_name}) return std::nullopt;
  std::optional<std::vector<std::string>> numbers({""}), rest({""});
  if (open != member.npos) {
    numbers = expand_ranges(member.substr(open + 1, close - open - 1));
    rest = expand_member(member.substr(close + 1));
  }
  if (!numbers || !rest || numbers->size() * rest->size() > most_names) return std::nullopt;
  std::vector<std::string> names;
  for (std::string const& number : *numbers)
    for (std::string const& end : *rest) {
      names.push_back(fmt::format("{}{}{}", member.substr(0, std::min(open, longest_name + 1)), number, end));
      if (names.back().size() > longest_name) return std::nullopt;
    }
  return names;
}

constexpr std::size_t block_size = std::size_t{256} << 10U;

char* find_newline(char* from, char const* end) {
  return static_cast<char*>(std::memchr(from, '\n', static_cast<std::size_t>(end - from)));
}

}  // namespace

std::vector<TextLine> read_text_lines(std::filesystem::path const& file, bool continued) {
  LineReader in({file, file});
  std::vector<TextLine> lines;
  std::string before;
  std::size_t begun = 0;
  while (in.next()) {
    if (before.empty()) begun = in.line_number();
    std::string_view const text = trimmed({in.line().data(), in.line().size()});
    if (continued && text.ends_with('\\')) {
      before += std::string(text.substr(0, text.size() - 1)) + ' ';
      continue;
    }
    std::string const whole = before + std::string(text);
    before.clear();
    if (!trimmed(whole).empty()) lines.push_back({begun, std::string(trimmed(whole))});
  }
  if (!trimmed(before).empty()) lines.push_back({begun, std::string(trimmed(before))});
  return lines;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (auto begin = text.find_first_not_of(blanks); begin != std::string_view::npos;) {
    auto const end = std::min(text.find_first_of(blanks, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(blanks, end);
  }
  return words;
}

std::optional<std::vector<std::string>> expand_host_list(std::string_view list) {
  std::vector<std::string> names;
  while (true) {
    std::size_t end = 0;
    for (int depth = 0; end < list.size() && (list[end] != ',' || depth > 0); ++end)
      depth += (list[end] == '[' ? 1 : 0) - (list[end] == ']' ? 1 : 0);
    auto const some = expand_member(list.substr(0, end));
    if (end == 0 || !some || names.size() + some->size() > most_names) return std::nullopt;
    names.insert(names.end(), some->begin(), some->end());
    if (end == list.size()) return names;
    list.remove_prefix(end + 1);
  }
}

LineReader::LineReader(FileToRead const& file, FileRange range)
    : file_(file),
      range_(range),
      descriptor_(::open(file.opened.c_str(), O_RDONLY | O_CLOEXEC)),
      buffer_(block_size),
      begin_(buffer_.data()),
      end_(buffer_.data()) {
  if (descriptor_ < 0) throw ProfileError(file.shown, std::nullopt, std::generic_category().message(errno));
  ::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_SEQUENTIAL);
  if (range_.begin > 0) ::lseek(descriptor_, static_cast<off_t>(range_.begin), SEEK_SET);
}

LineReader::~LineReader() { ::close(descriptor_); }

bool LineReader::next() {
  char* newline = find_newline(begin_, end_);
  while (newline == nullptr) {
    std::size_t const searched = static_cast<std::size_t>(end_ - begin_);
    if (searched > longest_line) fail_too_long();
    if (!read_more()) break;
    if (lines_ == 0 && searched == 0 && range_.begin == 0) skip_byte_order_mark();
    newline = find_newline(begin_ + searched, end_);
  }
  if (begin_ == end_) return false;

  cut_off_ = newline == nullptr;
  char* line_end = cut_off_ ? end_ : newline;
  char* const next_line = cut_off_ ? end_ : newline + 1;
  if (static_cast<std::size_t>(line_end - begin_) > longest_line) fail_too_long();
  if (line_end != begin_ && line_end[-1] == '\r') --line_end;
  line_ = {begin_, line_end};
  ++lines_;
  begin_ = next_line;
  return true;
}

std::uint64_t LineReader::offset_of_next() const {
  return range_.begin + bytes_read_ - static_cast<std::uint64_t>(end_ - begin_);
}

std::size_t LineReader::line_number() const {
  if (range_.begin == 0) return lines_;
  LineReader before(file_, {0, range_.begin});
  while (before.next()) continue;
  return before.lines_ + lines_;
}

void LineReader::fail_too_long() const {
  throw ProfileError(file_.shown, line_number() + 1, fmt::format("line longer than {} MiB", longest_line >> 20U));
}

// Moves unread bytes to the front of the buffer and appends more from the file. The buffer grows if one line fills it.
bool LineReader::read_more() {
  std::size_t const kept = static_cast<std::size_t>(end_ - begin_);
  std::memmove(buffer_.data(), begin_, kept);
  if (kept + block_size / 2 > buffer_.size()) buffer_.resize(2 * kept + block_size);
  begin_ = buffer_.data();
  end_ = begin_ + kept;

  std::size_t const room =
      std::min<std::uint64_t>(buffer_.size() - kept, range_.end - std::min(range_.end, range_.begin + bytes_read_));
  ssize_t count = 0;
  do {
    count = ::read(descriptor_, end_, room);
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw ProfileError(file_.shown, std::nullopt, std::generic_category().message(errno));
  end_ += count;
  bytes_read_ += static_cast<std::uint64_t>(count);
  return count > 0;
}

// Skips the mark that spreadsheets put in front of UTF-8.
void LineReader::skip_byte_order_mark() {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (std::string_view(begin_, end_).starts_with(mark)) begin_ += mark.size();
}

std::uint64_t size_of(FileToRead const& file) {
  std::error_code error;
  std::uint64_t const size = std::filesystem::file_size(file.opened, error);
  return error ? 0 : size;
}

}  // namespace mpisee_through
