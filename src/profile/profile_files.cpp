#include "profile/profile_files.hpp"

#include <algorithm>

namespace commprof {

bool Offers::add(Offers const& later) {
  bool is_whole = true;
  for (std::size_t i = 0; i < files.size(); ++i) is_whole = rows_[i].add(later.rows_[i]) && is_whole;
  return is_whole;
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
    take(file, "\n");
    ++total_.rows[static_cast<std::size_t>(file)];
  });
}

}  // namespace commprof
