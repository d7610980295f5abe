#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "files/rank_set.hpp"
#include "files/visible_text.hpp"
#include "placement/proposal.hpp"
#include "text/terminal.hpp"

namespace mpisee_through {
namespace {

// A command lists at most this many hosts.
constexpr std::size_t most_hosts_in_command = 8;
constexpr std::uint32_t most_processors = 8192;  // of a host, as many as Linux can have

// None if the text is no list of processors.
std::vector<std::int32_t> numbers_in(std::string const& text) {
  auto const set = RankSet::parse(text);
  return set && set->size() <= most_processors ? *set->numbers() : std::vector<std::int32_t>();
}

// Launchers understand ranges without a stride.
std::string list_of(std::string const& numbers) {
  auto const all = numbers_in(numbers);
  if (all.empty()) return numbers;
  RankSet without_strides;
  for (std::int32_t const one : all) without_strides.append(static_cast<WorldRank>(one));
  return without_strides.to_string();
}

bool knows_cpus(Proposal const& proposal) {
  for (std::size_t rank = 0; rank < proposal.ranks(); ++rank)
    if (proposal.slot_of(rank).place.cpus.empty()) return false;
  return true;
}

// by_cpus: with the operating system's numbers of processors, as in the profile. If the cores of a slot are not known,
// slots are numbered like cores.
std::string processors_of(Slot const& slot, bool by_cpus) {
  if (by_cpus) return list_of(slot.place.cpus);
  return slot.place.core.empty() ? fmt::format("{}", slot.number) : list_of(slot.place.core);
}

std::string rankfile(Proposal const& proposal, bool by_cpus) {
  std::string text;
  for (std::size_t rank = 0; rank < proposal.ranks(); ++rank)
    text += fmt::format("rank {}={} slot={}\n", rank, proposal.host_of(rank),
                        processors_of(proposal.slot_of(rank), by_cpus));
  return text;
}

// Whether ranks of a host have a processor in common, as in a run without binding. PRRTE refuses to bind these ranks
// and then starts nothing.
bool share_processors(Proposal const& proposal, bool by_cpus) {
  std::set<std::pair<std::uint32_t, std::int32_t>> taken;  // host and processor
  for (std::size_t rank = 0; rank < proposal.ranks(); ++rank)
    for (std::int32_t const one : numbers_in(processors_of(proposal.slot_of(rank), by_cpus)))
      if (!taken.emplace(proposal.slot_of(rank).host, one).second) return true;
  return false;
}

// PRRTE parses the path, too, for qualifiers: for the text after a - or a :, and for "pe", as in "openmpi". The bare
// name of a file in the working directory is safe.
constexpr char prrte_file[] = "rankfile.prrte";

std::string host_lines(Proposal const& proposal, std::string_view end) {
  std::string text;
  for (std::size_t rank = 0; rank < proposal.ranks(); ++rank)
    text += fmt::format("{}{}\n", proposal.host_of(rank), end);
  return text;
}

// The ranks, slot after slot, host after host, in the order in which the hosts are given.
std::string rank_order(Proposal const& proposal) {
  std::vector<std::size_t> rank_at(proposal.proposed.slots().size(), proposal.ranks());
  for (std::size_t rank = 0; rank < proposal.ranks(); ++rank) rank_at[proposal.slot_proposed[rank]] = rank;
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
  bool const has_cpus = knows_cpus(proposal);
  return {
      {"rankfile.openmpi4", "Open MPI 4",
       fmt::format("mpirun -np {} {}{}-rf {} PROGRAM", n, hosts, has_cpus ? "--mca rmaps_rank_file_physical 1 " : "",
                   path("rankfile.openmpi4")),
       rankfile(proposal, has_cpus)},
      {prrte_file, "Open MPI 5",
       fmt::format("cp {} . ; mpirun -np {} {}--map-by rankfile:FILE={} {}PROGRAM", path(prrte_file), n, hosts,
                   prrte_file, share_processors(proposal, has_cpus) ? "--bind-to none " : ""),
       rankfile(proposal, has_cpus)},
      {"hosts.hydra", "MPICH, Intel MPI", fmt::format("mpiexec -f {} -n {} PROGRAM", path("hosts.hydra"), n),
       host_lines(proposal, ":1")},
      {"hosts.slurm", "Slurm", fmt::format("SLURM_HOSTFILE={} srun -m arbitrary -n {} PROGRAM", path("hosts.slurm"), n),
       host_lines(proposal, "")},
      {"MPICH_RANK_ORDER", "Cray MPICH", "in the directory of this file: MPICH_RANK_REORDER_METHOD=3 srun ... PROGRAM",
       rank_order(proposal)}};
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
