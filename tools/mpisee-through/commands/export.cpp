#include "export/export.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <string>

#include "commands/commands.hpp"

namespace mpisee_through {
namespace {

ExportFormat const* find_format(std::string_view name) {
  auto const* const found = std::ranges::find(export_formats, name, &ExportFormat::name);
  return found == std::ranges::end(export_formats) ? nullptr : found;
}

std::string description() {
  std::string text = "Writes a profile in a format that other tools show:\n\n";
  for (ExportFormat const& one : export_formats) text += fmt::format("  {:<13}{}\n", one.name, one.summary);
  return text + "\nA run that goes on, or was killed, is exported as far as it is known.\n";
}

class Export : public Command {
 public:
  Export() : Command("mpisee-through export", description()) {
    std::string names;
    for (ExportFormat const& one : export_formats) names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
    app_.add_option("FORMAT", format_, "One of the formats above")
        ->required()
        ->check(parsed_by(find_format, "is not one of " + names))
        ->type_name("");
    add_profile(app_, profile_);
    app_.add_option("-o,--output", file_, "Write this file, not standard output; compressed if its name\nends in .gz")
        ->check(check_file)
        ->type_name("FILE")
        ->group("Output");
  }

 private:
  int answer() override {
    WriteExport const write = find_format(format_)->write;
    Profile const profile(profile_);
    if (!file_.empty()) {
      export_to(file_, write, profile);
      return EXIT_SUCCESS;
    }
    write(std::cout, profile);
    return finish_output();
  }

  std::string format_, profile_, file_;
};

}  // namespace

std::unique_ptr<Command> make_export() { return std::make_unique<Export>(); }

}  // namespace mpisee_through
