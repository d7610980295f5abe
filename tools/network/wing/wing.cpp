#include "commands/wing.hpp"

#include <cstdint>

#include "commands/shared_options.hpp"
#include "files/number_in.hpp"
#include "wing/network_commands.hpp"

namespace mpisee_through {
namespace {

constexpr auto parse_number = number_in<std::uint32_t>;  // 0 is allowed

}  // namespace

void FabricOptions::add_files_to(CLI::App& app, std::string const& group, std::string const& help) {
  CLI::Option* const fabric =
      app.add_option("--fabric", path_, help)->check(check_file)->type_name("DIR")->group(group);
  app.add_option("--fabric-hosts", hosts_,
                 "Lines of a host and the description or GUID (0x…) of its\n"
                 "node, where its description does not begin with its name")
      ->check(check_file)
      ->type_name("FILE")
      ->group(group)
      ->needs(fabric);
}

void FabricOptions::add_to(CLI::App& app, std::string const& group) {
  add_files_to(app, group, "Directory with the files about the network, or one of them");
  CLI::Option* const fabric = app.get_option("--fabric");
  app.add_option("--rail", rail_,
                 "Of hosts with several ports, all ranks use this one, from 0;\nby default each rank the next")
      ->check(parsed_by(parse_number, "is not a number from 0 on"))
      ->type_name("N")
      ->group(group)
      ->needs(fabric);
  app.add_option("--lid", lid_, "Of ports with several lids, messages go to this one, from 0\n(the default)")
      ->check(parsed_by(parse_number, "is not a number from 0 on"))
      ->type_name("N")
      ->group(group)
      ->needs(fabric);
}

std::optional<FabricSource> FabricOptions::source() const {
  if (path_.empty()) return std::nullopt;
  FabricSource source{.path = path_};
  if (!hosts_.empty()) source.names_of_hosts = hosts_;
  source.choice = {.rail = parse_number(rail_), .lid = parse_number(lid_).value_or(0)};
  return source;
}

Wing const& network_wing() {
  static Wing const wing{
      {{"links", "What the messages put on the links of the network", run_links, links_options},
       {"place", "Propose where ranks should run, with files for launchers", run_place, place_options}}};
  return wing;
}

}  // namespace mpisee_through
