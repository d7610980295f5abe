#include "finalize/collector.hpp"

#include <algorithm>

#include "finalize/text_writer.hpp"

namespace commprof {

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

void Collector::take_offer(std::string_view row) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a of the name
  for (char const c : row.substr(0, row.find(','))) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  auto const place = std::lower_bound(taken_.begin(), taken_.end(), hash) - taken_.begin();
  if (taken_.begin() + place != taken_.end() && taken_.begin()[place] == hash) return;
  if (taken_.push_back(hash)) std::rotate(taken_.begin() + place, taken_.end() - 1, taken_.end());
  take(File::communicators, row);
  ++total_.rows[static_cast<std::size_t>(File::communicators)];
}

void Collector::finish(RunFacts const& facts, clock::Rate rate, unsigned snapshot) {
  static char buffer[4096];
  TextWriter out(buffer, sizeof buffer, [](void* self, char const* text, std::size_t length) {
    auto const* const collector = static_cast<Collector*>(self);
    collector->output_.append(collector->run_file_, text, length);
  }, this);
  write_run_json(out, facts, total_, rate, snapshot);
}

}  // namespace commprof
