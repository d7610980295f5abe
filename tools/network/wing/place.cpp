#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <set>

#include "commands/commands.hpp"
#include "commands/shared_options.hpp"
#include "placement/machines.hpp"
#include "placement/proposal.hpp"
#include "text/terminal.hpp"
#include "text/units.hpp"
#include "wing/network_commands.hpp"

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

class PlaceOptions : public CommandOptions {
 public:
  PlaceOptions();

  std::string profile, hosts, topology, node, output;
  FabricOptions fabric;
  SelectionOptions selection_options;
  FormatOptions form;

  [[nodiscard]] Format format() const { return form.format(); }
  [[nodiscard]] Selection selection() const;
  [[nodiscard]] PlacementWeight weight() const { return *placement_weights.parse(weight_); }
  [[nodiscard]] std::vector<LevelCost> costs() const;

 private:
  void add_machine();
  void add_work();

  std::string weight_ = "bytes";
  std::vector<std::string> costs_;
  ClassOption classes_;
};

PlaceOptions::PlaceOptions() : CommandOptions("mpisee-through place", place_description, place_exit_codes) {
  app_.add_option("PROFILE", profile, "Directory of the profile, a file in it, or an archive of it")
      ->required()
      ->type_name("");
  app_.add_option("-o,--output", output,
                  "Write files for launchers into this directory: rank files of\n"
                  "Open MPI 4 and 5, lists of hosts for Hydra and Slurm, the\n"
                  "rank order of Cray MPICH, and placement.json")
      ->check(check_file)
      ->type_name("DIR");
  add_machine();
  add_work();
  selection_options.add_to(app_, "Selection (all can be combined; of the messages)", SelectionOptions::Of::messages);
  form.add_to(app_, "The mapping as CSV, on standard output", "All numbers and the mapping as JSON");
}

void PlaceOptions::add_machine() {
  constexpr char const* group = "Machine";
  auto const file = [&](char const* name, std::string& target, char const* help) {
    app_.add_option(name, target, help)->check(check_file)->type_name("FILE")->group(group);
  };
  file("--hosts", hosts,
       "Place on these hosts. Lines: node[01-16] slots=64, node01:64\n"
       "or node01");
  file("--topology", topology, "What is above hosts: Slurm's topology.conf");
  fabric.add_files_to(app_, group,
                      "What is above hosts, from files about an InfiniBand network\n"
                      "(as of \"mpisee-through links\"). The proposal is the one whose\n"
                      "busiest link carries least");
  app_.get_option("--topology")->excludes(app_.get_option("--fabric"));
  file("--node", node, "What is inside hosts: the output of lstopo FILE.xml");
}

void PlaceOptions::add_work() {
  constexpr char const* group = "What counts";
  app_.add_option("--weight", weight_,
                  "bytes (the default), messages, or time: of latency and\n"
                  "bandwidth")
      ->check(one_of(placement_weights))
      ->type_name("WHAT")
      ->group(group);
  app_.add_option("--costs", costs_,
                  "What a byte or message costs whose ends share a place of\n"
                  "this level, and none further inside: host=4,network=40. With\n"
                  "--weight time: microseconds and GB/s, network=1.5:2. Levels:\n"
                  "core, numa, package, host, switch1, switch2, ..., network")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->check(parsed_by(parse_level_cost, "is no cost like host=4 or network=1.5:2"))
      ->type_name("LEVEL=COST")
      ->group(group);
  classes_.add_to(app_, group)->delimiter(',');
}

Selection PlaceOptions::selection() const {
  Selection selection = selection_options.selection();
  classes_.add_to(selection);
  return selection;
}

std::vector<LevelCost> PlaceOptions::costs() const {
  std::vector<LevelCost> costs;
  for (std::string const& one : costs_) costs.push_back(*parse_level_cost(one));
  return costs;
}

Costs costs_for(PlaceOptions const& options, Machine const& machine) {
  Costs costs(options.weight(), machine.levels());
  for (LevelCost const& one : options.costs()) {
    if (costs.set(one)) continue;
    std::string levels;
    for (std::size_t level = 0; level < machine.levels(); ++level)
      levels += fmt::format("{}{}", level == 0 ? "" : ", ", machine.name_of_level(level));
    throw std::runtime_error(
        fmt::format("--costs {}: needs a level of {}, and {} with --weight {}", one.level, levels,
                    options.weight() == PlacementWeight::time ? "two numbers like 1.5:2" : "one number",
                    name_of(options.weight())));
  }
  return costs;
}

std::shared_ptr<Network const> read_network(PlaceOptions const& options) {
  auto const source = options.fabric.source();
  return source ? std::make_shared<Network const>(source->path, source->names_of_hosts) : nullptr;
}

// The names of the run's hosts and of the other hosts.
std::vector<std::string> names_of_hosts(std::vector<RankPlace> const& places, std::vector<HostLine> const& lines) {
  std::set<std::string> names;
  for (RankPlace const& place : places) names.insert(place.host);
  for (HostLine const& line : lines) names.insert(line.name);
  return {names.begin(), names.end()};
}

// What --topology or --fabric, and --node, say.
Surroundings read_surroundings(PlaceOptions const& options, Network const* network,
                               std::vector<std::string> const& hosts) {
  Surroundings surroundings{.file = options.topology};
  if (network != nullptr) surroundings.switches = network->switches_above(hosts);
  if (!options.topology.empty()) surroundings.switches = read_switch_tree(options.topology);
  if (!options.node.empty()) surroundings.node.emplace(options.node);
  return surroundings;
}

Effects all_effects_of(Work const& work, Machine const& machine, Costs const& costs, Placement const& placement,
                       Network const* network) {
  Effects effects = effects_of(work, machine, costs, placement);
  if (network == nullptr) return effects;
  SlotRoutes routes(*network, machine);
  effects.links = link_effects_of(work, routes, placement);
  return effects;
}

Proposal propose(PlaceOptions const& options, Profile const& profile) {
  Selection selection = options.selection();
  std::string const selected = describe(selection);
  prefer_transport(selection, read_seen_by_transport(profile), Load::of_machine);
  auto const places = read_rank_places(profile);
  auto const lines = options.hosts.empty() ? std::vector<HostLine>() : read_host_file(options.hosts);
  auto const network = read_network(options);
  Surroundings const surroundings = read_surroundings(options, network.get(), names_of_hosts(places, lines));
  MachinePlacement const today = surroundings.present(places);
  Machine const machine = options.hosts.empty() ? today.machine : surroundings.machine_of(lines);
  std::size_t const ranks = today.placement.size();
  if (machine.slots().size() < ranks)
    throw std::runtime_error(fmt::format("{}: {} for {}", options.hosts,
                                         format_number_of(machine.slots().size(), "slot"),
                                         format_number_of(ranks, "rank")));
  Costs const costs_today = costs_for(options, today.machine), costs = costs_for(options, machine);
  Traffic traffic = add_up_traffic(profile, selection, false);
  Work const work(traffic.pairs, ranks);
  std::optional<SlotRoutes> routes;
  if (network) routes.emplace(*network, machine);
  SearchResult found = search_placement({.work = work,
                                         .machine = machine,
                                         .costs = costs,
                                         .now = options.hosts.empty() ? std::optional(today.placement) : std::nullopt,
                                         .routes = routes ? &*routes : nullptr});
  Effects before = all_effects_of(work, today.machine, costs_today, today.placement, network.get());
  Effects after = all_effects_of(work, machine, costs, found.placement, network.get());
  auto communicators = effects_by_communicator(profile, selection, hosts_of(today.machine, today.placement, ranks),
                                               hosts_of(machine, found.placement, ranks));
  return {.traffic = std::move(traffic),
          .selection = selected,
          .is_of_transport = is_of_transport(selection),
          .today = today.machine,
          .proposed = machine,
          .slot_today = today.placement,
          .weight = options.weight(),
          .found = std::move(found),
          .before = std::move(before),
          .after = std::move(after),
          .communicators = std::move(communicators),
          .network = network,
          .has_logical_numbers = surroundings.node.has_value()};
}

std::string files_in_words(std::vector<LauncherFile> const& files) {
  std::string text;
  for (LauncherFile const& file : files)
    if (!file.command.empty()) text += fmt::format("{:<17} {}\n", file.launcher, file.command);
  return text;
}

}  // namespace

std::unique_ptr<CommandOptions> place_options() { return std::make_unique<PlaceOptions>(); }

int run_place(int argc, char** argv) {
  PlaceOptions options;
  if (auto const exit_code = options.parse(argc, argv)) return *exit_code;

  Profile const profile(options.profile);
  Proposal const proposal = propose(options, profile);
  std::vector<LauncherFile> files;
  if (!options.output.empty()) {
    files = launcher_files(proposal, options.output);
    write_launcher_files(files, options.output, profile.directory());
  }
  Document document = placement(proposal);
  if (!files.empty()) document.tables.push_back(table::words_alone(files_in_words(files)));
  return print(options.form, find_terminal(ColorWhen::never), {document}, {options.profile});
}

}  // namespace mpisee_through
