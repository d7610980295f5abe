#include "finalize/own_rows.hpp"

#include <algorithm>
#include <iterator>

namespace commprof {

char OwnRows::buffer[];

void OwnRows::Kept::put(void* self, char const* part, std::size_t length) {
  auto& kept = *static_cast<Kept*>(self);
  std::size_t const before = kept.text.size();
  kept.is_whole = kept.is_whole && kept.text.resize(before + length);
  if (kept.is_whole) std::copy_n(part, length, kept.text.begin() + before);
}

bool OwnRows::has(RowWriter const& writer) const {
  constexpr File of_all[] = {File::communicators, File::ranks, File::waits};
  return is_detailed_ || std::find(std::begin(of_all), std::end(of_all), writer.file) != std::end(of_all);
}

void OwnRows::format(bool is_detailed) {
  is_detailed_ = is_detailed;
  for (OfFile& file : files_) {
    file.own.rows = file.own.bytes = 0;
    file.own.is_kept = true;
    file.own.text.release();
  }
  for (RowWriter const& writer : row_writers) {
    if (!has(writer)) continue;
    Formatted& own = files_[static_cast<std::size_t>(writer.file)].own;
    auto const put = [](void* to, char const* text, std::size_t length) {
      auto& formatted = *static_cast<Formatted*>(to);
      constexpr std::size_t most_kept = std::size_t{512} * 1024;
      formatted.bytes += length;
      formatted.is_kept = formatted.is_kept && formatted.bytes <= most_kept;
      Kept kept{formatted.text, formatted.is_kept};
      if (formatted.is_kept) Kept::put(&kept, text, length);
      if (!formatted.is_kept) formatted.text.release();
    };
    TextWriter out(buffer, sizeof buffer, put, &own);
    own.rows += writer.write(context_, out);
  }
}

void OwnRows::format_again(File file, Take take, void* to) const {
  struct Target {
    Take take;
    void* to;
    File file;
  } target{take, to, file};
  auto const put = [](void* self, char const* text, std::size_t length) {
    auto const& of = *static_cast<Target*>(self);
    of.take(of.to, of.file, {text, length});
  };
  for (RowWriter const& writer : row_writers) {
    if (writer.file != file || !has(writer)) continue;
    TextWriter out(buffer, sizeof buffer, put, &target);
    writer.write(context_, out);
  }
}

PerFile OwnRows::rows() const {
  PerFile all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = files_[i].own.rows + files_[i].further_rows;
  return all;
}

PerFile OwnRows::bytes() const {
  PerFile all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = files_[i].own.bytes + files_[i].further.size();
  return all;
}

}  // namespace commprof
