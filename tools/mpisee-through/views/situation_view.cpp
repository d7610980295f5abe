#include "views/situation_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/visible_text.hpp"
#include "findings/situation_words.hpp"
#include "text/terminal.hpp"
#include "text/units.hpp"
#include "views/views.hpp"

namespace mpisee_through {

std::string describe_processes(Situation const& situation) {
  std::size_t present = 0;
  for (RankGroup const& group : situation.groups) present += group.ranks.size();
  std::string text = format_number_of(static_cast<std::uint64_t>(situation.ranks), "rank");
  if (situation.running == present) text += ", running";
  else if (situation.ended == present) text += ", ended";
  else if (situation.running + situation.ended == 0) text += ", none of them on this host";
  else text += fmt::format(": {} running, {} ended", format_count(situation.running), format_count(situation.ended));
  if (!situation.without_file.empty())
    text += fmt::format("; {} without a spool file: their MPI has ended, or they are on another node",
                        shorten_members(situation.without_file));
  return text;
}

void print_obstacles(std::ostream& out, Situation const& situation, CodeLines const& lines, Terminal const& terminal) {
  constexpr std::size_t most_stuck = 3;
  std::vector<Obstacle> const obstacles = SituationWords(situation, lines).obstacles();
  for (std::size_t i = 0; i < std::min(obstacles.size(), most_stuck); ++i)
    out << terminal.yellow(obstacles[i].label) << "\n   " << wrap(obstacles[i].text, terminal.width, 3) << '\n';
  if (obstacles.size() > most_stuck)
    out << terminal.dim(fmt::format("and {} more of that kind: --json", obstacles.size() - most_stuck)) << '\n';
  if (std::string const others = also_stuck_in_words(situation); !others.empty())
    out << wrap(others, terminal.width, 0) << '\n';
  if (!obstacles.empty()) out << '\n';
}

void print_groups(std::ostream& out, Situation const& situation, CodeLines const& lines, Terminal const& terminal) {
  constexpr std::size_t most_groups = 12;
  SituationWords const words(situation, lines);
  std::size_t ranks_left = 0;
  for (std::size_t i = 0; i < situation.groups.size(); ++i) {
    RankGroup const& group = situation.groups[i];
    if (i >= most_groups) {
      ranks_left += group.ranks.size();
      continue;
    }
    out << wrap(words.head(group), terminal.width, 0) << '\n';
    if (std::string const waits = words.waits(group); !waits.empty())
      out << "   " << wrap(waits, terminal.width, 3) << '\n';
  }
  if (ranks_left > 0)
    out << terminal.dim(fmt::format("and {} in {} other places: --json", format_number_of(ranks_left, "other rank"),
                                    situation.groups.size() - most_groups))
        << '\n';
}

}  // namespace mpisee_through
