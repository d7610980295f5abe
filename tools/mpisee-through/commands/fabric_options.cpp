#include "commands/fabric_options.hpp"

#include <charconv>
#include <cstdint>
#include <string_view>

#include "commands/shared_options.hpp"

namespace mpisee_through {
namespace {

// Numbers from 0 on.
std::optional<std::uint32_t> parse_number(std::string_view text) {
  std::uint32_t number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

void FabricOptions::add_to(CLI::App& app, std::string const& group) {
  CLI::Option* const fabric =
      app.add_option("--fabric", path_, "Directory with the files about the network, or one of them")
          ->check(check_file)
          ->type_name("DIR")
          ->group(group);
  app.add_option("--fabric-hosts", hosts_,
                 "Lines of a host and the description or GUID (0x…) of its\n"
                 "node, where its description does not begin with its name")
      ->check(check_file)
      ->type_name("FILE")
      ->group(group)
      ->needs(fabric);
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

}  // namespace mpisee_through
