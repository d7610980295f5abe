#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "commands/commands.hpp"
#include "files/visible_text.hpp"
#include "profile/text_writer.hpp"
#include "reader/profile_reader.hpp"
#include "symbols/site_names.hpp"
#include "text/terminal.hpp"

namespace mpisee_through {
namespace {

constexpr std::string_view resolve_description =
    "Writes function, file and line of each call site into sites.csv of the profile, so that it\n"
    "explains itself where the program is not at hand, or is built anew. Run it where the program\n"
    "ran, before the program is built again.\n"
    "\n"
    "Lines need a program that was compiled with debug information (-g). Without it, functions are\n"
    "what the symbols of the program tell.\n";

void write_sites(std::filesystem::path const& file, SiteNames const& names) {
  OutputFile out(file);
  char room[4096];
  auto const write = [](void* stream, char const* text, std::size_t length) {
    static_cast<std::ostream*>(stream)->write(text, static_cast<std::streamsize>(length));
  };
  commprof::TextWriter rows(room, sizeof room, write, &out.stream());
  rows.raw(commprof::schema::sites.header).raw("\n");
  for (auto const& [name, site] : names.all()) {
    SourcePlace const& place = names.place(name);
    using commprof::cell;
    commprof::write_row<commprof::schema::sites_columns>(
        rows, cell<"site">(std::string_view(name)), cell<"module">(std::string_view(site.module)),
        cell<"offset">(commprof::Hexadecimal{site.offset}), cell<"function">(std::string_view(place.function)),
        cell<"file">(std::string_view(place.file)), cell<"line">(std::string_view(place.line)));
  }
  rows.flush();
  out.close();
}

class Resolve : public Command {
 public:
  Resolve() : Command("mpisee-through resolve", std::string(resolve_description)) { add_profile(app_, profile_); }

 private:
  int answer() override;

  std::string profile_;
};

int Resolve::answer() {
  Profile const profile(profile_);
  auto const file = profile.files().file(commprof::schema::sites.name);
  if (!profile.files().are_in_place())
    throw ProfileError(profile.directory(), std::nullopt, "resolve writes into a finished profile that is a directory");
  if (!profile.holds(commprof::schema::sites))
    throw ProfileError(file.shown, std::nullopt, "this profile was written without call sites");
  SiteNames const names(profile);
  names.require();
  write_sites(file.opened, names);
  std::size_t lines = 0, functions = 0;
  for (auto const& [name, site] : names.all()) {
    if (!site.place.file.empty()) ++lines;
    else if (site.place.is_known()) ++functions;
  }
  fmt::print("{} call sites: {} with their line, {} with their function alone\n", names.all().size(), lines, functions);
  for (std::string const& problem : names.problems()) fmt::print("{}\n", problem);
  return EXIT_SUCCESS;
}

}  // namespace

std::unique_ptr<Command> make_resolve() { return std::make_unique<Resolve>(); }

}  // namespace mpisee_through
