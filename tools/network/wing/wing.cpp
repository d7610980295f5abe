#include "commands/wing.hpp"

#include "wing/fabric_options.hpp"
#include "wing/network_commands.hpp"
#include "wing/page_links.hpp"

namespace mpisee_through {
namespace {

class LinksOptionsOfReport : public ReportLinks {
 public:
  void add_to(CLI::App& app) override {
    fabric_.add_to(app, "Links of the network (mpisee-through links --help says what the files are)");
  }
  [[nodiscard]] LinksReader reader() const override {
    auto source = fabric_.source();
    return source ? links_of_page(std::move(*source)) : LinksReader();
  }

 private:
  FabricOptions fabric_;
};

}  // namespace

Wing const& network_wing() {
  static Wing const wing{
      {{"links", "What the messages put on the links of the network", run_links, links_options},
       {"place", "Propose where ranks should run, with files for launchers", run_place, place_options}},
      []() -> std::unique_ptr<ReportLinks> { return std::make_unique<LinksOptionsOfReport>(); }};
  return wing;
}

}  // namespace mpisee_through
