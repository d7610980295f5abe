// Files of a fabric: two leaves below a spine, two hosts below each leaf; and a run of four ranks on three of the
// hosts.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "files/temporary_directory.hpp"
#include "support/temporary_profile.hpp"

// Temporary files; the destructor removes them.
class TemporaryFabric {
 public:
  [[nodiscard]] std::filesystem::path const& path() const { return directory_.path(); }
  void write(std::string_view name, std::string_view text) const;
  void remove(std::string_view name) const { std::filesystem::remove(path() / name); }

 private:
  mpisee_through::TemporaryDirectory directory_;
};

// The output of ibnetdiscover, whose line 3 is leaf1 and line 22 n1; and the output of dump_fts.
extern std::string const small_cables;
extern std::string const small_tables;
// The fabric in Slurm's format, which lacks the hosts' ports.
extern std::string const small_slurm_topology;

// Ranks 0 and 1 on n1, 2 on n2, 3 on n3. 10 s. 2 messages with 200 B from 0 to 2, 3 with 3,000 B from 0 to 3, 1 with
// 1,000 B from 1 to 3 (in the region solve, on W_s1.0), 4 with 400 B from 3 to 1 for Allreduce; 5 with 50 B from 0 to 1
// and 1 with 7 B to another world.
TemporaryProfile::Content small_run();
// The run's ranks.csv.
extern std::string const small_ranks;
