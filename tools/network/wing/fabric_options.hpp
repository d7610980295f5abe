// Options about the network: --fabric, --fabric-hosts, --rail, --lid.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "fabric/links_view.hpp"

namespace mpisee_through {

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
