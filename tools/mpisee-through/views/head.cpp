#include <fmt/format.h>
#include <fmt/ostream.h>

#include "views/forms.hpp"
#include "views/units.hpp"

namespace mpisee_through {
namespace {

void print_line(std::ostream& out, std::string_view label, std::string_view text) {
  fmt::print(out, "{:<10} {}\n", label, text);
}

// As a shell would take it, near enough to see where an argument begins and ends.
std::string command(Run const& run) {
  std::string line = run.program;
  for (std::string const& argument : run.arguments) {
    bool const plain = !argument.empty() && argument.find_first_of(" \"'\\$`*?;&|<>()") == std::string::npos;
    line += plain ? " " + argument : fmt::format(" '{}'", argument);
  }
  return line;
}

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(count), noun, count == 1 ? "" : "s");
}

std::string ranks(Summary const& summary) {
  if (summary.selected_ranks == summary.run.ranks) {
    return fmt::format("{} on {}", format_count(summary.run.ranks), plural(summary.hosts, "host"));
  }
  return fmt::format("{} of {} selected, on {}", format_count(summary.selected_ranks), format_count(summary.run.ranks),
                     plural(summary.hosts, "host"));
}

std::string share_of_mpi(Summary const& summary) {
  auto const share = summary.wall_s > 0 ? std::optional(summary.mpi_s / summary.wall_s) : std::nullopt;
  return fmt::format("{} of the time: {} of {}, summed over {}", format_share(share), format_seconds(summary.mpi_s),
                     format_seconds(summary.wall_s), plural(summary.selected_ranks, "rank"));
}

}  // namespace

void print_head(std::ostream& out, Summary const& summary) {
  Run const& run = summary.run;
  print_line(out, "Profile", summary.profile);
  print_line(out, "Program", command(run));
  if (!run.mpi_library.empty()) {
    print_line(
        out, "Library",
        run.mpi_version.empty() ? run.mpi_library : fmt::format("{} (MPI {})", run.mpi_library, run.mpi_version));
  }
  print_line(out, "Ranks", ranks(summary));
  if (!run.parent_comm.empty()) {
    print_line(out, "Spawned", fmt::format("by {}, whose name for the communicator between is {}", run.parent_program, run.parent_comm));
  }
  if (!run.start.empty()) print_line(out, "Start", run.start);
  print_line(out, "Wall time", format_seconds(run.wall_s));
  print_line(out, "MPI", share_of_mpi(summary));
  for (auto const& [kind, count] : run.dropped) {
    if (count > 0) print_line(out, "Dropped", fmt::format("{}: {}", kind, format_count(count)));
  }
  for (auto const& [kind, count] : run.folded) {
    if (count > 0) print_line(out, "Folded", fmt::format("{}: {}", kind, format_count(count)));
  }
}

}  // namespace mpisee_through
