// The commands about the network (see commands/commands.hpp), and what they have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "commands/command_options.hpp"
#include "fabric/links_view.hpp"

namespace mpisee_through {

// Shows the load that messages put on the links of a network.
[[nodiscard]] int run_links(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> links_options();

// What they are. Throws ProfileError and SelectionError.
[[nodiscard]] Document read_links(Profile const& profile, Selection const& selection, FabricSource const& source,
                                  LinksLayout const& layout = {});

// Proposes where ranks should run.
[[nodiscard]] int run_place(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> place_options();

// Options about the network: --fabric, --fabric-hosts, --rail, --lid.
class FabricOptions {
 public:
  void add_to(CLI::App& app, std::string const& group = "Options");
  // Adds --fabric and --fabric-hosts. help: of --fabric.
  void add_files_to(CLI::App& app, std::string const& group, std::string const& help);
  // Valid once the command line is parsed. Nothing without --fabric.
  [[nodiscard]] std::optional<FabricSource> source() const;

 private:
  std::string path_, hosts_, rail_, lid_;
};

}  // namespace mpisee_through
