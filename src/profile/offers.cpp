#include "profile/offers.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace commprof {

void Offers::take(File file, std::string_view rows) {
  while (!rows.empty()) {
    std::string_view const row = rows.substr(0, std::min(rows.find('\n'), rows.size() - 1) + 1);
    std::string_view const key = row.substr(0, row.find(file == File::communicators ? ',' : '\n'));
    rows.remove_prefix(row.size());
    if (!taken_.insert(hash_of(key) + static_cast<std::uint64_t>(file))) continue;
    std::size_t const before = texts_.size();
    if (texts_.resize(before + row.size()) && rows_.push_back({file, static_cast<std::uint32_t>(row.size())})) {
      std::copy(row.begin(), row.end(), texts_.begin() + before);
    } else {
      is_whole_ = false;
      return;
    }
  }
}

void Offers::take(Offers const& later) {
  later.for_each([this](File file, std::string_view row) { take(file, row); });
  if (!later.is_whole_) is_whole_ = false;
}

bool Offers::is_sound() const {
  std::size_t bytes = 0;
  for (Row const& row : rows_) bytes += row.length;
  return bytes == texts_.size();
}

}  // namespace commprof
