#include "support/small_runs.hpp"

#include <fmt/format.h>

void SmallRuns::add(double wall_s, std::vector<double> const& useful_s, std::vector<std::string> const& operations) {
  auto profile = std::make_unique<TemporaryProfile>(
      TemporaryProfile::Content{.ranks = static_cast<std::uint32_t>(useful_s.size()), .operations = operations});
  std::string rows = "rank,host,pid,cpus,threads,wall_s,mpi_s\n";
  for (std::size_t rank = 0; rank < useful_s.size(); ++rank)
    rows += fmt::format("{},host,1,0,1,{},{}\n", rank, wall_s, wall_s - useful_s[rank]);
  profile->write("ranks.csv", rows);
  profile->replace("run.json", "\"wall_s\": 10", fmt::format("\"wall_s\": {}", wall_s));
  profiles_.push_back(std::move(profile));
}

mpisee_through::Runs SmallRuns::read() const {
  std::vector<std::filesystem::path> paths;
  for (auto const& profile : profiles_) paths.push_back(profile->path());
  return mpisee_through::read_runs(paths, {});
}
