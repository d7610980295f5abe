#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <set>

#include "commands/commands.hpp"
#include "fabric/links.hpp"
#include "placement/effects.hpp"
#include "placement/machine.hpp"
#include "placement/proposal.hpp"
#include "text/terminal.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

constexpr char const* place_description =
    "Proposes on which host and processor each rank should run, so that ranks that exchange\n"
    "much are near each other: from the messages in the profile. Writes the files by which\n"
    "launchers place ranks so.\n"
    "\n"
    "  mpisee-through place PROFILE                        what a better placement would save\n"
    "  mpisee-through place -o DIR PROFILE                 with the files for launchers\n"
    "  mpisee-through place --hosts FILE -o DIR PROFILE    for other hosts than those of the run\n"
    "  mpisee-through place --fabric DIR PROFILE           so that the busiest link carries least\n"
    "\n"
    "Without --hosts, each host gets as many ranks as it had. The proposal costs no more than\n"
    "the placement of the run, blocks of ranks and round robin; with --fabric, its busiest link\n"
    "carries no more. The same input gives the same output.\n";

constexpr char const* place_exit_codes =
    "Exit codes: 0; 1 if the profile or a file cannot be read, or cannot be placed; 2 if the\n"
    "command line makes no sense.\n";

class Place : public Command {
 public:
  Place();

 private:
  int answer() override;
  [[nodiscard]] Proposal propose(Profile const& profile) const;

  std::string profile_, hosts_, fabric_, node_, output_;
  SelectionOptions selection_;
  FormatOptions form_;
};

Place::Place() : Command("mpisee-through place", place_description, place_exit_codes) {
  add_profile(app_, profile_);
  app_.add_option("-o,--output", output_,
                  "Write files for launchers into this directory: rank files of\n"
                  "Open MPI 4 and 5, lists of hosts for Hydra and Slurm, and the\n"
                  "rank order of Cray MPICH")
      ->check(check_file)
      ->type_name("DIR");
  auto const file = [&](char const* name, std::string& target, char const* help) {
    app_.add_option(name, target, help)->check(check_file)->type_name("FILE")->group("Machine");
  };
  file("--hosts", hosts_,
       "Place on these hosts. Lines: node[01-16] slots=64, node01:64\n"
       "or node01");
  file("--fabric", fabric_,
       "What is above hosts: Slurm's topology.conf; or a directory with\n"
       "files about an InfiniBand network (as of \"mpisee-through\n"
       "links\"), and the busiest link is to carry least");
  file("--node", node_, "What is inside hosts: the output of lstopo FILE.xml");
  selection_.add_to(app_, "--comm --region --class --weight", "What counts", "What counts");
  form_.add_to(app_, "The mapping as CSV, on standard output", "All numbers and the mapping as JSON");
}

// The names of the run's hosts and of the other hosts.
std::vector<std::string> names_of_hosts(std::vector<RankPlace> const& places, std::vector<HostLine> const& lines) {
  std::set<std::string> names;
  for (RankPlace const& place : places) names.insert(place.host);
  for (HostLine const& line : lines) names.insert(line.name);
  return {names.begin(), names.end()};
}

Proposal Place::propose(Profile const& profile) const {
  Selection selection = selection_.selection();
  std::string const selected = describe(selection);
  prefer_transport(profile, selection, Load::of_machine);
  auto const places = read_rank_places(profile);
  auto const lines = hosts_.empty() ? std::vector<HostLine>() : read_host_file(hosts_);
  auto const fabric = fabric_.empty() ? nullptr : std::make_shared<Fabric const>(read_fabric(fabric_));
  Surroundings surroundings;
  if (fabric) surroundings.switches = switches_above(*fabric, names_of_hosts(places, lines));
  if (!node_.empty()) surroundings.node.emplace(node_);
  auto [machine_today, today] = surroundings.present(places);
  Machine machine = hosts_.empty() ? machine_today : surroundings.machine_of(lines);
  std::size_t const ranks = today.size();
  if (machine.slots().size() < ranks)
    throw std::runtime_error(fmt::format("{}: {} for {}", hosts_, format_number_of(machine.slots().size(), "slot"),
                                         format_number_of(ranks, "rank")));
  Traffic traffic = add_up_traffic(profile, selection, false);
  Work const work(traffic.pairs, ranks);
  std::optional<FabricHosts> ports_today, ports;
  if (fabric && fabric->has_cables) {  // only then links count
    ports_today.emplace(*fabric, machine_today.hosts());
    ports.emplace(*fabric, machine.hosts());
  }
  FabricHosts const* const links = ports ? &*ports : nullptr;
  Measure const weight = selection_.measure();
  Placement const found = search_placement({.work = work,
                                            .machine = machine,
                                            .weight = weight,
                                            .now = hosts_.empty() ? std::optional(today) : std::nullopt,
                                            .hosts = links});
  Effects before = effects_of(work, machine_today, weight, ports_today ? &*ports_today : nullptr, today);
  Effects after = effects_of(work, machine, weight, links, found);
  auto communicators = effects_by_communicator(profile, selection, hosts_of(machine_today, today, ranks),
                                               hosts_of(machine, found, ranks));
  return {.traffic = std::move(traffic),
          .selection = selected,
          .is_of_transport = is_of_transport(selection),
          .today = std::move(machine_today),
          .proposed = std::move(machine),
          .slot_today = std::move(today),
          .slot_proposed = found,
          .weight = weight,
          .before = std::move(before),
          .after = std::move(after),
          .communicators = std::move(communicators),
          .fabric = ports ? fabric : nullptr,
          .has_logical_numbers = surroundings.node.has_value()};
}

std::string files_in_words(std::vector<LauncherFile> const& files) {
  std::string text;
  for (LauncherFile const& file : files) text += fmt::format("{:<17} {}\n", file.launcher, file.command);
  return text;
}

int Place::answer() {
  Profile const profile(profile_);
  Proposal const proposal = propose(profile);
  Document document = placement(proposal);
  if (!output_.empty()) {
    std::vector<LauncherFile> const files = launcher_files(proposal, output_);
    write_launcher_files(files, output_, profile.directory());
    document.tables.push_back(table::words_alone(files_in_words(files)));
  }
  return print(form_, find_terminal(ColorWhen::never), {document}, {profile_});
}

}  // namespace

std::unique_ptr<Command> make_place() { return std::make_unique<Place>(); }

std::vector<NamedCommand> network_commands() {
  return {{"links", "What the messages put on the links of the network", make_links},
          {"place", "Propose where ranks should run, with files for launchers", make_place}};
}

}  // namespace mpisee_through
