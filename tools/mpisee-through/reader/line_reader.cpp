#include "reader/line_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

namespace mpisee_through {
namespace {

constexpr std::size_t block_size = std::size_t{256} << 10U;

char* find_newline(char* from, char const* end) {
  return static_cast<char*>(std::memchr(from, '\n', static_cast<std::size_t>(end - from)));
}

}  // namespace

LineReader::LineReader(FileToRead const& file)
    : LineReader(file, {}, std::make_shared<Progress>("Reading " + file.shown.filename().string(), size_of(file))) {}

LineReader::LineReader(FileToRead const& file, FileRange range, std::shared_ptr<Progress> progress)
    : file_(file),
      range_(range),
      descriptor_(::open(file.opened.c_str(), O_RDONLY | O_CLOEXEC)),
      progress_(std::move(progress)),
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
  LineReader before(file_, {0, range_.begin}, nullptr);
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
  if (count == 0) {
    progress_.reset();
  } else if (progress_) {
    progress_->advanced(static_cast<std::uint64_t>(count));
  }
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
