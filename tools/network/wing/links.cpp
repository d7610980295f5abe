#include "fabric/links.hpp"

#include <CLI/CLI.hpp>
#include <limits>

#include "commands/commands.hpp"
#include "placement/proposal.hpp"
#include "text/terminal.hpp"

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
    "output says so. A file \"hosts\" there has lines of a host and the description or GUID (0x…)\n"
    "of its node, where its description does not begin with its name.\n"
    "\n"
    "A link is one direction of a cable. Messages within hosts are on no link.\n";

constexpr char const* links_exit_codes =
    "Exit codes: 0; 1 if the profile or the fabric cannot be read, do not fit each other, or the\n"
    "tables lead nowhere (one line on stderr says what, in which file and line); 2 if the command\n"
    "line makes no sense.\n";

class Links : public Command {
 public:
  Links() : Command("mpisee-through links", links_description, links_exit_codes) {
    add_profile(app_, profile_);
    app_.add_option("--fabric", fabric_, "Directory with the files about the network, or one of them")
        ->required()
        ->check(check_file)
        ->type_name("DIR");
    selection_.add_to(app_, "--comm --op --region --rank --size --weight --class --from --to",
                      "Selection (all can be combined)");
    add_top(app_, top_, "Only the N busiest links; 10 by default, all with --csv");
    form_.add_to(app_, "A line for each link with messages, on standard output",
                 "The same as JSON, with levels, congestion and what fills the\nbusiest links");
  }

 private:
  int answer() override {
    constexpr std::size_t links_of_text = 10;
    bool const is_page = form_.format() == Format::html;
    std::size_t const most = form_.format() == Format::csv ? std::numeric_limits<std::size_t>::max()
                             : is_page                     ? most_links_of_page
                                                           : links_of_text;
    LinksLayout const layout{selection_.measure(), parse_top(top_).value_or(most), is_page};
    return print(form_, find_terminal(ColorWhen::automatic),
                 {read_links(Profile(profile_), selection_.selection(), fabric_, layout)}, {profile_});
  }

  std::string profile_, fabric_, top_;
  SelectionOptions selection_;
  FormatOptions form_;
};

// What the document is about, and refers to.
struct LinksOfRun {
  LinksOfRun(Profile const& profile, Selection const& selection, std::filesystem::path const& path)
      : overview(read_overview(profile, selection)),
        fabric(read_fabric(path)),
        hosts(fabric, overview.known_hosts()),
        traffic(read_link_traffic(profile, selection, overview, hosts)) {}

  Overview overview;
  Fabric fabric;
  FabricHosts hosts;
  LinkTraffic traffic;
};

}  // namespace

Document read_links(Profile const& profile, Selection const& selection, std::filesystem::path const& fabric,
                    LinksLayout const& layout) {
  require_rows(profile, selection, "links");
  auto const all = std::make_shared<LinksOfRun>(profile, selection, fabric);
  Document document = links(all->traffic, layout);
  keep(document, all);
  return document;
}

std::unique_ptr<Command> make_links() { return std::make_unique<Links>(); }

std::vector<NamedCommand> network_commands() {
  return {{"links", "What the messages put on the links of the network", make_links},
          {"place", "Propose where ranks should run, with files for launchers", make_place}};
}

}  // namespace mpisee_through
