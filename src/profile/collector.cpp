#include "profile/collector.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace commprof {

namespace {

template <std::size_t n>
void add_all(std::array<std::uint64_t, n>& sums, std::array<std::uint64_t, n> const& values) {
  for (std::size_t i = 0; i < n; ++i) sums[i] += values[i];
}

}  // namespace

void RunSummary::add(RunSummary const& other) {
  add_all(rows, other.rows);
  add_all(dropped, other.dropped);
  add_all(folded, other.folded);
  add_all(no_waits, other.no_waits);
  wall_ns = std::max(wall_ns, other.wall_ns);
}

static_assert(schema::tables.size() < OutputDirectory::max_files, "no room for run.json");

Collector::Collector(OutputDirectory& output) : output_(output) {
  for (std::size_t i = 0; i < schema::tables.size(); ++i) {
    files_[i] = output_.add_file(schema::tables[i].name);
    take(static_cast<File>(i), schema::tables[i].header);
    take(static_cast<File>(i), "\n");
  }
  run_file_ = output_.add_file(schema::run_file);
}

void Collector::take(File file, std::string_view text) {
  output_.append(files_[static_cast<std::size_t>(file)], text.data(), text.size());
}

void Collector::take_offers(File file, std::string_view rows) {
  std::size_t taken = 0;  // the length of those that are, one after the other, before what is left
  char const* next = rows.data();
  auto const take_them = [&] {
    if (taken > 0) take(file, {next - taken, taken});
    taken = 0;
  };
  while (!rows.empty()) {
    if (!is_within_offer_) {
      std::string_view const key = rows.substr(0, rows.find(file == File::communicators ? ',' : '\n'));
      takes_offer_ = taken_.insert(hash_of(key) + static_cast<std::uint64_t>(file));
      if (takes_offer_) ++total_.rows[static_cast<std::size_t>(file)];
    }
    std::size_t const newline = rows.find('\n');
    is_within_offer_ = newline == std::string_view::npos;
    std::size_t const length = is_within_offer_ ? rows.size() : newline + 1;
    if (takes_offer_) taken += length;
    else take_them();
    rows.remove_prefix(length);
    next += length;
  }
  take_them();
}

void Collector::put_in_run_file(void* self, char const* text, std::size_t length) {
  auto const& collector = *static_cast<Collector*>(self);
  collector.output_.append(collector.run_file_, text, length);
}

}  // namespace commprof
