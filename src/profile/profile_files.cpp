#include "profile/profile_files.hpp"

#include <algorithm>

#include "base/hash.hpp"

namespace commprof {

void Offers::take(File file, std::string_view rows) {
  while (!rows.empty()) {
    std::string_view const row = rows.substr(0, std::min(rows.find('\n'), rows.size() - 1) + 1);
    std::string_view const key = row.substr(0, row.find(file == File::communicators ? ',' : '\n'));
    rows.remove_prefix(row.size());
    std::uint64_t const hash = (hash_of(key) + static_cast<std::uint64_t>(file)) | 1;
    if (taken_.find(hash) != nullptr) continue;
    taken_.add(hash);
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
  all_us += other.all_us;
  mpi_us += other.mpi_us;
  wall_ns = std::max(wall_ns, other.wall_ns);
  messages.add(other.messages);
  has_sums = std::min(has_sums, other.has_sums);
}

static_assert(schema::tables.size() + 1 < OutputDirectory::max_files,
              "no room for run.json and what marks a directory");

ProfileFiles::ProfileFiles(OutputDirectory& output, FileSet files) : output_(output) {
  for (std::size_t i = 0; i < schema::tables.size(); ++i)
    if (files.has(static_cast<File>(i))) add(static_cast<File>(i));
}

void ProfileFiles::add(File file) {
  auto const i = static_cast<std::size_t>(file);
  files_[i] = output_.add_file(schema::tables[i].name);
  if (output_.is_joined()) return;
  take(file, schema::tables[i].header);
  take(file, "\n");
}

void ProfileFiles::continue_at(File file, std::uint64_t offset) {
  auto const i = static_cast<std::size_t>(file);
  output_.continue_at(files_[i], schema::tables[i].header.size() + 1 + offset);
}

void ProfileFiles::put_in_run_file(void* self, char const* text, std::size_t length) {
  auto const& files = *static_cast<ProfileFiles*>(self);
  files.output_.append(files.run_file_, text, length);
}

void Collector::finish() {
  offers_.for_each([this](File file, std::string_view row) {
    take(file, row);
    ++total_.rows[static_cast<std::size_t>(file)];
  });
}

}  // namespace commprof
