// The interface of a library that adds commands, options and a part of the page to the reader. tools/network is such a
// library; it can be left out of the build, with the libraries that it needs.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "commands/commands.hpp"
#include "summary/overview.hpp"
#include "summary/selection.hpp"

namespace mpisee_through {

// Says what the messages of a selection put on the links of a network.
using LinksReader = std::function<Document(Profile const&, Selection const&, Overview const&)>;

// The links of a network in a report, as the command line asks for them.
class ReportLinks {
 public:
  ReportLinks() = default;
  ReportLinks(ReportLinks const&) = delete;
  ReportLinks& operator=(ReportLinks const&) = delete;
  virtual ~ReportLinks() = default;

  virtual void add_to(CLI::App& app) = 0;
  // Valid once the command line is parsed. Empty if the user does not ask for links.
  [[nodiscard]] virtual LinksReader reader() const = 0;
};

struct Wing {
  std::vector<Command> commands{};  // in the order of --help, after those of the reader
  std::unique_ptr<ReportLinks> (*report_links)() = nullptr;
  std::vector<std::string_view> missing{};  // commands that this build lacks
};

// Links and placement: from tools/network, or an empty wing from no_network.cpp.
[[nodiscard]] Wing const& network_wing();

}  // namespace mpisee_through
