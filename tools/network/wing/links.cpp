#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>

#include "commands/commands.hpp"
#include "commands/shared_options.hpp"
#include "text/terminal.hpp"
#include "wing/network_commands.hpp"

namespace mpisee_through {
namespace {

constexpr char const* links_description =
    "Says what the messages of a run put on the links of an InfiniBand network: each goes from\n"
    "switch to switch as their forwarding tables say.\n"
    "\n"
    "DIR holds what an administrator writes there, in files of any name:\n"
    "  ibnetdiscover > DIR/cables     nodes, cables, speeds\n"
    "  dump_fts > DIR/tables          forwarding tables; also those of ibroute\n"
    "Without tables, and with Slurm's topology.conf instead of cables, routes are assumed: the\n"
    "output says so.\n"
    "\n"
    "A link is one direction of a cable. Messages within hosts are on no link.\n";

constexpr char const* links_exit_codes =
    "Exit codes: 0; 1 if the profile or the fabric cannot be read, do not fit each other, or the\n"
    "tables lead nowhere (one line on stderr says what, in which file and line); 2 if the command\n"
    "line makes no sense.\n";

constexpr std::size_t links_of_text = 10;

class LinksOptions : public CommandOptions {
 public:
  LinksOptions();

  std::string profile, top;
  FabricOptions fabric;
  SelectionOptions selection;
  MessageOptions messages;
  FormatOptions form;

  [[nodiscard]] LinksLayout layout() const;
};

LinksOptions::LinksOptions() : CommandOptions("mpisee-through links", links_description, links_exit_codes) {
  app_.add_option("PROFILE", profile, "Directory of the profile, a file in it, or an archive of it")
      ->required()
      ->type_name("");
  fabric.add_to(app_);
  app_.get_option("--fabric")->required();
  selection.add_to(app_, "Selection (all can be combined)", SelectionOptions::Of::messages);
  messages.add_to(app_, "Messages");
  app_.add_option("--top", top, "Only the N busiest links; 10 by default, all with --csv")
      ->check(check_positive)
      ->type_name("N")
      ->group("Output");
  form.add_to(app_, "A line for each link with messages, on standard output",
              "The same as JSON, with levels, congestion and what fills the\nbusiest links");
}

LinksLayout LinksOptions::layout() const {
  bool const is_page = form.format() == Format::html;
  std::size_t const most = form.format() == Format::csv ? std::numeric_limits<std::size_t>::max()
                           : is_page                    ? most_links_of_page
                                                        : links_of_text;
  return {messages.measure(), top.empty() ? most : *parse_positive(top), is_page};
}

// What the document is about, and refers to.
struct LinksOfRun {
  LinksOfRun(Profile const& profile, Selection const& selection, FabricSource const& source)
      : overview(read_overview(profile, selection)),
        fabric(read_fabric(source.path)),
        hosts(fabric, overview.known_hosts(), source.names_of_hosts),
        traffic(read_link_traffic(profile, selection, overview, hosts, source.choice)) {}

  Overview overview;
  Fabric fabric;
  FabricHosts hosts;
  LinkTraffic traffic;
};

}  // namespace

Document read_links(Profile const& profile, Selection const& selection, FabricSource const& source,
                    LinksLayout const& layout) {
  require_rows(profile, selection, "links");
  auto const all = std::make_shared<LinksOfRun>(profile, selection, source);
  Document document = links(all->traffic, layout);
  keep(document, all);
  return document;
}

std::unique_ptr<CommandOptions> links_options() { return std::make_unique<LinksOptions>(); }

int run_links(int argc, char** argv) {
  LinksOptions options;
  if (auto const exit_code = options.parse(argc, argv)) return *exit_code;

  Selection selection = options.selection.selection();
  options.messages.add_to(selection);
  Profile const profile(options.profile);
  return print(options.form, find_terminal(ColorWhen::automatic),
               {read_links(profile, selection, *options.fabric.source(), options.layout())}, {options.profile});
}

}  // namespace mpisee_through
