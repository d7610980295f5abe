#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "files/shell_word.hpp"
#include "placement/proposal.hpp"
#include "text/output_file.hpp"

namespace mpisee_through {
namespace {

// A command lists at most this many hosts.
constexpr std::size_t most_hosts_in_command = 8;
constexpr std::uint32_t most_processors = 8192;  // of a host, as many as Linux can have

// Launchers understand ranges without a stride.
std::string list_of(std::string const& numbers) {
  auto const set = RankSet::parse(numbers);
  if (!set) return numbers;
  RankSet without_strides;
  for (RankSet::Range const& range : set->ranges()) {
    if (range.stride == 1) {
      without_strides.append(range);
      continue;
    }
    if ((range.last - range.first) / range.stride >= most_processors) return numbers;
    for (std::uint64_t one = range.first; one <= range.last; one += range.stride)
      without_strides.append(static_cast<WorldRank>(one));
  }
  return without_strides.to_string();
}

bool knows_cpus(Proposal const& proposal) {
  for (std::size_t rank = 0; rank < proposal.ranks(); ++rank)
    if (proposal.slot_of(rank).place.cpus.empty()) return false;
  return true;
}

std::string rank_line(Proposal const& proposal, std::size_t rank, std::string const& processors) {
  return fmt::format("rank {}={} slot={}\n", rank, proposal.host_of(rank), processors);
}

// If the cores of a slot are not known, slots are numbered like cores.
std::string cores_of(Slot const& slot) {
  return slot.place.core.empty() ? fmt::format("{}", slot.number) : list_of(slot.place.core);
}

// Processors have the operating system's numbers, as in the profile.
std::string rankfile_4(Proposal const& proposal) {
  bool const by_cpus = knows_cpus(proposal);
  std::string text;
  for (std::size_t rank = 0; rank < proposal.ranks(); ++rank) {
    Slot const& slot = proposal.slot_of(rank);
    text += rank_line(proposal, rank, by_cpus ? list_of(slot.place.cpus) : cores_of(slot));
  }
  return text;
}

// PRRTE counts cores as hwloc does. --node and --hosts give these numbers; without them the file has the operating
// system's numbers.
std::string processors_5(Proposal const& proposal, std::size_t rank) {
  Slot const& slot = proposal.slot_of(rank);
  bool const by_cpus = !proposal.has_logical_numbers && !slot.place.cpus.empty();
  return by_cpus ? list_of(slot.place.cpus) : cores_of(slot);
}

std::string rankfile_5(Proposal const& proposal) {
  std::string text;
  for (std::size_t rank = 0; rank < proposal.ranks(); ++rank)
    text += rank_line(proposal, rank, processors_5(proposal, rank));
  return text;
}

// Whether ranks of a host have a processor in common, as in a run without binding. PRRTE refuses to bind these ranks
// and then starts nothing.
bool share_processors_5(Proposal const& proposal) {
  struct Taken {
    std::vector<RankSet> sets;
    std::uint64_t processors = 0;
  };
  std::map<std::uint32_t, Taken> by_host;
  for (std::size_t rank = 0; rank < proposal.ranks(); ++rank) {
    auto const processors = RankSet::parse(processors_5(proposal, rank));
    if (!processors) continue;
    Taken& taken = by_host[proposal.slot_of(rank).host];
    taken.processors += processors->size();
    taken.sets.push_back(*processors);
  }
  return std::ranges::any_of(by_host, [](auto const& one) {
    return RankSet::union_of(one.second.sets).value_or(RankSet()).size() < one.second.processors;
  });
}

// PRRTE parses the path, too, for qualifiers: for the text after a - or a :, and for "pe", as in "openmpi". The bare
// name of a file in the working directory is safe.
constexpr char prrte_file[] = "rankfile.prrte";
bool is_misread_by_prrte(std::string_view path) {
  if (path.find_first_of("-:") != path.npos) return true;
  constexpr std::string_view letters = "pe";
  auto const are_equal = [](unsigned char of_path, unsigned char letter) { return std::tolower(of_path) == letter; };
  return std::search(path.begin(), path.end(), letters.begin(), letters.end(), are_equal) != path.end();
}

std::string host_lines(Proposal const& proposal, std::string_view end) {
  std::string text;
  for (std::size_t rank = 0; rank < proposal.ranks(); ++rank)
    text += fmt::format("{}{}\n", proposal.host_of(rank), end);
  return text;
}

// The ranks, slot after slot, host after host, in the order in which the hosts are given.
std::string rank_order(Proposal const& proposal) {
  std::vector<std::size_t> rank_at(proposal.proposed.slots().size(), proposal.ranks());
  for (std::size_t rank = 0; rank < proposal.ranks(); ++rank) rank_at[proposal.found.placement[rank]] = rank;
  std::string text;
  for (std::size_t host = 0; host < proposal.proposed.hosts().size(); ++host)
    for (std::size_t number = 0; number < proposal.proposed.slots_of(host); ++number)
      if (std::size_t const rank = rank_at[proposal.proposed.slot(host, number)]; rank < proposal.ranks())
        text += fmt::format("{}{}", text.empty() ? "" : ",", rank);
  return text + "\n";
}

std::string hosts_option(Proposal const& proposal) {
  Machine const& machine = proposal.proposed;
  if (machine.hosts().size() > most_hosts_in_command) return "";
  std::string hosts;
  for (std::size_t host = 0; host < machine.hosts().size(); ++host)
    hosts += fmt::format("{}{}:{}", host == 0 ? "" : ",", machine.hosts()[host], machine.slots_of(host));
  return fmt::format("--host {} ", shell_word(hosts));
}

}  // namespace

std::vector<LauncherFile> launcher_files(Proposal const& proposal, std::filesystem::path const& directory) {
  auto const path = [&](char const* name) { return shell_word((directory / name).string()); };
  std::size_t const n = proposal.ranks();
  std::string const hosts = hosts_option(proposal);
  std::ostringstream json;
  write_json(json, placement(proposal));
  json << '\n';
  return {
      {"rankfile.openmpi4", "Open MPI 4",
       fmt::format("mpirun -np {} {}{}-rf {} PROGRAM", n, hosts,
                   knows_cpus(proposal) ? "--mca rmaps_rank_file_physical 1 " : "", path("rankfile.openmpi4")),
       rankfile_4(proposal)},
      {prrte_file, "Open MPI 5",
       fmt::format("{}mpirun -np {} {}--map-by rankfile:FILE={} {}PROGRAM",
                   is_misread_by_prrte(directory.string()) ? "cp " + path(prrte_file) + " . && " : "", n, hosts,
                   is_misread_by_prrte(directory.string()) ? prrte_file : path(prrte_file),
                   share_processors_5(proposal) ? "--bind-to none " : ""),
       rankfile_5(proposal)},
      {"hosts.hydra", "MPICH, Intel MPI", fmt::format("mpiexec -f {} -n {} PROGRAM", path("hosts.hydra"), n),
       host_lines(proposal, ":1")},
      {"hosts.slurm", "Slurm", fmt::format("SLURM_HOSTFILE={} srun -m arbitrary -n {} PROGRAM", path("hosts.slurm"), n),
       host_lines(proposal, "")},
      {"MPICH_RANK_ORDER", "Cray MPICH", "in the directory of this file: MPICH_RANK_REORDER_METHOD=3 srun ... PROGRAM",
       rank_order(proposal)},
      {"placement.json", "", "", std::move(json).str()}};
}

void write_launcher_files(std::vector<LauncherFile> const& files, std::filesystem::path const& directory,
                          std::filesystem::path const& profile) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) throw OutputError(fmt::format("{}: {}", directory.string(), error.message()));
  for (LauncherFile const& one : files) {
    check_no_part_of_profile(directory / one.name, profile);
    OutputFile file(directory / one.name);
    file.stream() << one.text;
    file.close();
  }
}

}  // namespace mpisee_through
