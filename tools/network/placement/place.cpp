#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <optional>
#include <set>

#include "commands/commands.hpp"
#include "fabric/links.hpp"
#include "placement/effects.hpp"
#include "placement/machine.hpp"
#include "placement/proposal.hpp"
#include "text/terminal.hpp"
#include "text/units.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

constexpr double least_gain = 0.01;

using table::Kind;

std::string title_of_level(std::string const& name) {
  if (name == "core") return "Within cores";
  if (name == "numa") return "Within NUMA domains, between cores";
  if (name == "package") return "Within packages, between NUMA domains";
  if (name == "host") return "Within hosts, between packages";
  if (name == "network") return "Between hosts, below no common switch";
  return fmt::format("Between hosts, below one switch of level {}", name.substr(6));
}

std::string format_part(std::uint64_t part, std::uint64_t whole) { return format_share(share_of(part, whole)); }

// A line of the effects: messages between hosts or within a level, or bytes of which nobody counts messages.
struct EffectLine {
  std::string title;
  Amount today, proposed;
  std::optional<std::uint64_t> all_bytes;  // nothing: bytes only
};

table::View<EffectLine> const& view_of_effects() {
  static auto const view = [] {
    table::View<EffectLine> effects{.name = "effects",
                                    .columns = {{"effect", " ", Kind::name, &EffectLine::title, table::In::people}}};
    auto const add = [&](char const* key, char const* title, Amount EffectLine::*amount) {
      effects.columns.push_back(
          {key, title, Kind::bytes, [=](EffectLine const& one) { return (one.*amount).bytes; }, table::In::people});
      auto const add_of_messages = [&](char const* part, char const* heading, auto format) {
        effects.columns.push_back(
            {std::string(key) + part, heading, Kind::figure,
             [=](EffectLine const& one) { return one.all_bytes ? format(one.*amount, *one.all_bytes) : std::string(); },
             table::In::people});
      };
      add_of_messages("_share", " ",
                      [](Amount const& part, std::uint64_t all) { return format_part(part.bytes, all); });
      add_of_messages("_messages", "messages",
                      [](Amount const& part, std::uint64_t) { return format_count(part.messages); });
    };
    add("today", "Today", &EffectLine::today);
    add("proposed", "Proposed", &EffectLine::proposed);
    return effects;
  }();
  return view;
}

struct MappedRank {
  std::size_t rank;
  std::string_view host_today, host;
  Slot const* slot;
};
std::vector<MappedRank> mapping_of(Proposal const& proposal) {
  std::vector<MappedRank> rows;
  for (std::size_t rank = 0; rank < proposal.ranks(); ++rank)
    rows.push_back({rank, proposal.today.hosts()[proposal.slot_of_today(rank).host], proposal.host_of(rank),
                    &proposal.slot_of(rank)});
  return rows;
}

table::View<MappedRank> const& view_of_mapping() {
  static table::View<MappedRank> const view{
      .name = "mapping",
      .columns = {{"rank", "Rank", Kind::number, &MappedRank::rank},
                  {"host_today", "Host today", Kind::name, &MappedRank::host_today},
                  {"host", "Proposed host", Kind::name, &MappedRank::host},
                  {"slot", "Slot", Kind::number, [](MappedRank const& one) { return one.slot->number; }},
                  {"package", "Package", Kind::name, [](MappedRank const& one) { return one.slot->place.package; }},
                  {"numa", "NUMA domain", Kind::name, [](MappedRank const& one) { return one.slot->place.numa; }},
                  {"core", "Core", Kind::name, [](MappedRank const& one) { return one.slot->place.core; }},
                  {"cpus", "CPUs", Kind::name, [](MappedRank const& one) { return one.slot->place.cpus; }}}};
  return view;
}

std::string difference(double gain) {
  return fmt::format("{} {}", format_share(std::abs(gain)), gain > 0 ? "less" : "more");
}

// What the proposal saves. are_all: the messages are all that the program moves.
std::string describe_gain(Proposal const& proposal, bool are_all) {
  auto const nothing_to_gain = [&](std::string_view reason) {
    return fmt::format("Nothing to gain{}: {}.", are_all ? "" : " for these messages", reason);
  };
  constexpr double shown = 0.0005;
  double const gain = proposal.gain(), link_gain = proposal.link_gain();
  if (proposal.before.cost <= 0 && proposal.after.cost <= 0)
    return nothing_to_gain("no message leaves the innermost place that is known");
  std::string const moves = fmt::format("{} of {} would move", format_number_of(proposal.moved_ranks(), "rank"),
                                        format_count(proposal.ranks()));
  if (std::abs(link_gain) >= least_gain)
    return fmt::format(
        "The busiest link is {} loaded than today, {}; {}.", difference(link_gain),
        std::abs(gain) < shown ? "at the same cost" : fmt::format("and the proposal costs {}", difference(gain)),
        moves);
  if (gain < 0) return fmt::format("These hosts cost {} more than today's, at best.", format_share(-gain));
  if (gain < least_gain)
    return nothing_to_gain(gain > 0
                               ? fmt::format("the best placement found costs {} less than today's", format_share(gain))
                               : "no placement found costs less than today's");
  return fmt::format("The proposal costs {} less than today's placement; {}.", format_share(gain), moves);
}

void add_notes(Document& document, Proposal const& proposal) {
  std::vector<Note>& notes = document.notes;
  Traffic const& traffic = proposal.traffic;
  if (!proposal.selection.empty()) notes.emplace_back("Of", proposal.selection);
  notes.emplace_back("Weight", std::string(measures.of(proposal.weight)));
  if (traffic.run.has_only_sums())
    notes.emplace_back("Partial", fmt::format("only ranks {} have rows of their messages: the others count for nothing",
                                              traffic.run.detailed_ranks->to_string()));
  if (proposal.fabric)
    for (std::string const& note : proposal.fabric->notes)
      notes.emplace_back(&note == &proposal.fabric->notes.front() ? "Fabric" : " ", note);
  std::string const part = part_of_bytes_sent(traffic.total.bytes, traffic.bytes_sent);
  std::string text = describe_gain(proposal, part.empty()) + '\n';
  if (!part.empty()) text += part + '\n';
  document.tables.front().above = text + '\n';
}

std::vector<EffectLine> effect_lines(Proposal const& proposal) {
  Effects const &today = proposal.before, &proposed = proposal.after;
  bool const is_inside_known = proposal.proposed.knows_inside_of_hosts() || proposal.today.knows_inside_of_hosts();
  std::uint64_t all = 0;
  for (Amount const& one : today.by_level) all += one.bytes;
  auto const at = [](Effects const& effects, std::size_t level) {
    return level < effects.by_level.size() ? effects.by_level[level] : Amount{};
  };
  std::vector<EffectLine> lines{{"Between hosts", today.between_hosts, proposed.between_hosts, all}};
  for (std::size_t level = std::max(today.by_level.size(), proposed.by_level.size()); level-- > 0;) {
    Amount const before = at(today, level), after = at(proposed, level);
    // On a machine without switches, the level above hosts would repeat the first line.
    bool const is_known = level <= host_level || proposal.proposed.levels() > host_level + 2;
    if (!is_known || before.messages + after.messages == 0) continue;
    lines.push_back({level == host_level && !is_inside_known
                         ? "Within hosts"
                         : title_of_level(level_name(level, proposal.proposed.levels())),
                     before, after, all});
  }
  auto const add_bytes = [&](char const* title, std::uint64_t before, std::uint64_t after) {
    lines.push_back({title, {.bytes = before}, {.bytes = after}, std::nullopt});
  };
  add_bytes("Most that leaves one host", today.most_bytes_leaving, proposed.most_bytes_leaving);
  if (today.links) {
    add_bytes("Most on one link", today.links->bytes, proposed.links->bytes);
    add_bytes("Sum over links", today.links->sum, proposed.links->sum);
  }
  return lines;
}

Json json_of(Amount const& amount) { return {{"bytes", amount.bytes}, {"messages", amount.messages}}; }

Json json_of(LinkEffects const& effects, Fabric const& fabric) {
  Json links{{"most_bytes", effects.bytes},
             {"most_load", effects.load},
             {"sum_bytes", effects.sum},
             {"used", effects.used},
             {"busiest", nullptr}};
  if (effects.busiest == no_link) return links;
  FabricLink const& link = fabric.link(effects.busiest);
  links["busiest"] = {{"node", fabric.node(link.node).name},
                      {"port", link.port},
                      {"peer", fabric.peer_of(effects.busiest).name},
                      {"peer_port", fabric.link(link.back).port},
                      {"level", level_of(fabric, effects.busiest)}};
  return links;
}

Json json_of(Effects const& effects, Machine const& machine) {
  Json levels = Json::object();
  for (std::size_t level = 0; level < effects.by_level.size(); ++level)
    levels[level_name(level, machine.levels())] = json_of(effects.by_level[level]);
  return {{"cost", effects.cost},
          {"between_hosts", json_of(effects.between_hosts)},
          {"within", std::move(levels)},
          {"most_bytes_leaving_host", effects.most_bytes_leaving},
          {"busiest_host", effects.busiest_host}};
}

Json members_of(Proposal const& proposal) {
  Json members = run_of(proposal.traffic);
  members["selection"] = proposal.selection;
  members["weight"] = measures.of(proposal.weight);
  members["partial"] = proposal.traffic.run.has_only_sums();
  members["moved_ranks"] = proposal.moved_ranks();
  members["gain"] = proposal.gain();
  members["bytes_sent"] = proposal.traffic.bytes_sent ? Json(*proposal.traffic.bytes_sent) : Json();
  members["today"] = json_of(proposal.before, proposal.today);
  members["proposed"] = json_of(proposal.after, proposal.proposed);
  if (proposal.fabric) {
    members["link_gain"] = proposal.link_gain();
    members["today"]["links"] = json_of(*proposal.before.links, *proposal.fabric);
    members["proposed"]["links"] = json_of(*proposal.after.links, *proposal.fabric);
  }
  return members;
}

// Text has no mapping.
Document placement(Proposal const& proposal) {
  Document document = document_of(proposal.traffic);
  document.run = members_of(proposal);
  document.tables = {table_of(view_of_effects(), effect_lines(proposal)),
                     table_of(view_of_mapping(), mapping_of(proposal))};
  document.tables[0].in = table::In::people;
  document.tables[0].indent = 2;
  document.tables[1].in = ~table::In::text;
  add_notes(document, proposal);
  return document;
}

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

  std::string profile_, hosts_, fabric_, output_;
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
  Selection const selection = selection_.selection();
  auto const places = read_rank_places(profile);
  auto const lines = hosts_.empty() ? std::vector<HostLine>() : read_host_file(hosts_);
  auto const fabric = fabric_.empty() ? nullptr : std::make_shared<Fabric const>(read_fabric(fabric_));
  SwitchTree const switches = fabric ? switches_above(*fabric, names_of_hosts(places, lines)) : SwitchTree();
  auto [machine_today, today] = machine_of_run(places, switches);
  Machine machine = hosts_.empty() ? machine_today : machine_of(lines, switches);
  std::size_t const ranks = today.size();
  if (machine.slots().size() < ranks)
    throw std::runtime_error(fmt::format("{}: {} for {}", hosts_, format_number_of(machine.slots().size(), "slot"),
                                         format_number_of(ranks, "rank")));
  Traffic traffic = add_up_traffic(profile, selection);
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
  return {.traffic = std::move(traffic),
          .selection = describe(selection),
          .today = std::move(machine_today),
          .proposed = std::move(machine),
          .slot_today = std::move(today),
          .slot_proposed = found,
          .weight = weight,
          .before = std::move(before),
          .after = std::move(after),
          .fabric = ports ? fabric : nullptr};
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

std::size_t Proposal::moved_ranks() const {
  std::size_t moved = 0;
  for (std::size_t rank = 0; rank < ranks(); ++rank) {
    Slot const &now = slot_of_today(rank), &then = slot_of(rank);
    moved += today.hosts()[now.host] != host_of(rank) || now.number != then.number ? 1 : 0;
  }
  return moved;
}

std::unique_ptr<Command> make_place() { return std::make_unique<Place>(); }

std::vector<NamedCommand> network_commands() {
  return {{"links", "What the messages put on the links of the network", make_links},
          {"place", "Propose where ranks should run, with files for launchers", make_place}};
}

}  // namespace mpisee_through
