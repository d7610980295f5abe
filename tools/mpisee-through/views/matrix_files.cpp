#include "views/matrix_files.hpp"

#include <utility>
#include <vector>

#include "text/output_file.hpp"
#include "views/forms.hpp"
#include "views/heat_map.hpp"
#include "views/placement_files.hpp"

namespace mpisee_through {

void check_matrix_files(MatrixFiles const& files, std::filesystem::path const& profile) {
  std::vector<std::filesystem::path> taken = files_of_profile(profile);
  taken.push_back(profile);
  for (auto const& file : {files.csv, files.treematch, files.image, files.scotch, files.metis}) {
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
    show(file.stream(), traffic, Format::csv, TrafficLayout{});
    file.close();
  }
  using Write = void (*)(std::ostream&, Traffic const&, Measure);
  for (auto const& [path, write] : {std::pair<decltype(files.csv) const*, Write>{&files.treematch, write_treematch},
                                    {&files.scotch, write_scotch},
                                    {&files.metis, write_metis}}) {
    if (!*path) continue;
    OutputFile file(**path);
    write(file.stream(), traffic, measure);
    file.close();
  }
  if (files.image) draw_heat_map(*files.image, traffic, measure, selection);
}

}  // namespace mpisee_through
