#include "export/export.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>

#include "commands/commands.hpp"

namespace mpisee_through {
namespace {

std::string description() {
  std::string text = "Writes a profile in a format that other tools show:\n\n";
  for (ExportFormat const& one : export_formats) text += fmt::format("  {:<13}{}\n", one.name, one.summary);
  return text + "\nA run that goes on, or was killed, is exported as far as it is known.\n";
}

class Export : public Command {
 public:
  Export() : Command("mpisee-through export", description()) {
    app_.add_option("FORMAT", format_, "One of the formats above")->required()->type_name("");
    add_profile(app_, profile_);
    app_.add_option("-o,--output", file_, "Write this file, at once; compressed if its name ends in .gz")
        ->check(check_file)
        ->type_name("FILE")
        ->group("Output");
  }

 private:
  void check() override {
    std::string names;
    for (ExportFormat const& one : export_formats) names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
    if (std::ranges::find(export_formats, format_, &ExportFormat::name) == std::ranges::end(export_formats))
      throw CLI::ValidationError("FORMAT", fmt::format("\"{}\" is not one of {}", format_, names));
  }

  int answer() override {
    ExportFormat const& format = *std::ranges::find(export_formats, format_, &ExportFormat::name);
    Profile const profile(profile_);
    if (!file_.empty()) {
      export_to(file_, format.write, profile);
      return EXIT_SUCCESS;
    }
    format.write(std::cout, profile);
    return finish_output();
  }

  std::string format_, profile_, file_;
};

}  // namespace

std::unique_ptr<Command> make_export() { return std::make_unique<Export>(); }

}  // namespace mpisee_through
