#include "views/matrix_files.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "views/forms.hpp"
#include "views/heat_map.hpp"
#include "views/output_file.hpp"

namespace mpisee_through {

void check_matrix_files(MatrixFiles const& files, std::filesystem::path const& profile) {
  std::vector<std::filesystem::path> taken = files_of_profile(profile);
  for (auto const& file : {files.csv, files.treematch, files.image}) {
    if (!file) continue;
    std::filesystem::path const whole = std::filesystem::weakly_canonical(*file);
    for (std::filesystem::path const& other : taken) {
      if (whole == std::filesystem::weakly_canonical(other))
        throw OutputError(file->string() + ": this file is part of the profile, or is to be written twice");
    }
    taken.push_back(whole);
  }
}

void write_matrix_files(MatrixFiles const& files, Traffic const& traffic, Measure measure,
                        std::string const& selection) {
  if (files.csv) {
    OutputFile file(*files.csv);
    write_csv(file.stream(), traffic, TrafficLayout{});
    file.close();
  }
  if (files.treematch) {
    OutputFile file(*files.treematch);
    write_treematch(file.stream(), traffic, measure);
    file.close();
  }
  if (files.image) draw_heat_map(*files.image, traffic, measure, selection);
}

void write_treematch(std::ostream& out, Traffic const& traffic, Measure measure) {
  struct Entry {
    std::uint32_t row;
    std::uint32_t column;
    std::uint64_t amount;
  };
  std::vector<Entry> entries;
  entries.reserve(2 * traffic.pairs.size());
  for (PairTraffic const& pair : traffic.pairs) {
    if (pair.from == pair.to || pair.from == other_world || pair.to == other_world) continue;
    auto const from = static_cast<std::uint32_t>(pair.from);
    auto const to = static_cast<std::uint32_t>(pair.to);
    entries.push_back({from, to, pair.amount.of(measure)});
    entries.push_back({to, from, pair.amount.of(measure)});
  }
  std::ranges::sort(entries, {}, [](Entry const& entry) { return std::tuple(entry.row, entry.column); });

  auto entry = entries.begin();
  for (std::uint32_t row = 0; row < traffic.run.ranks; ++row) {
    for (std::uint32_t column = 0; column < traffic.run.ranks; ++column) {
      std::uint64_t amount = 0;
      for (; entry != entries.end() && entry->row == row && entry->column == column; ++entry) amount += entry->amount;
      if (column > 0) out << ' ';
      out << amount;
    }
    out << '\n';
  }
}

}  // namespace mpisee_through
