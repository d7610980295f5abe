// Where the time of all ranks went, a line for each class of the account; and who is waited for.
#include <algorithm>
#include <string_view>
#include <vector>

#include "files/visible_text.hpp"
#include "views/views.hpp"

namespace mpisee_through {

using table::Kind;

table::Table table_of_account(Overview const& overview, std::optional<Terminal> const& terminal) {
  struct Line {
    std::string_view name, key;
    double time_s = 0;
    std::optional<double> share;
  };
  constexpr double least_of_people = 0.0005;
  std::vector<Line> lines;
  std::vector<std::string_view> keys;
  for (auto const& [name, key, part] : account_classes) {
    if (!overview.account) break;
    double const time_s = *overview.account.*part;
    auto const share = share_of(time_s, overview.threads_wall_s);
    if (terminal && share.value_or(0) < least_of_people) continue;
    lines.push_back({name, key, time_s, share});
    keys.push_back(key);
  }
  table::View<Line> const view{.name = "account",
                               .columns = {{"class", "Where the time went", Kind::name, &Line::name},
                                           {"time_s", "", Kind::seconds, &Line::time_s},
                                           {"wall_share", "Share", Kind::share, &Line::share}}};
  table::Table table = table_of(view, std::vector(lines));
  if (!terminal) return table;
  table.drawing = {{"as", "bars"}, {"parts", "class"}, {"keys", keys}, {"values", {"wall_share"}}};  // a single bar
  table.behind = [lines = std::move(lines), terminal = *terminal](std::size_t place, std::size_t room) {
    constexpr std::size_t longest_bar = 50;
    Line const& line = lines[place];
    std::string bar = terminal.bar(line.share.value_or(0), std::min(room, longest_bar));
    bool const is_lost = line.key == "waiting_s" || line.key == "without_processor_s";
    if (bar.empty()) return bar;
    return line.key == "work_s" ? terminal.green(bar) : is_lost ? terminal.red(bar) : terminal.cyan(bar);
  };
  return table;
}

table::Table table_of_waited_for(FirstScreen const& screen, Terminal const& terminal) {
  constexpr std::size_t most_lines = 5;
  constexpr double least_share = 0.01;  // of all ranks' time
  constexpr std::size_t room_of_numbers = 50;
  Summary const& summary = screen.summary;
  auto const share = [&](CausedBy const& one) { return share_of(one.caused_s, summary.threads_wall_s); };
  std::vector<CausedBy> lines;
  CausedBy others{.who = "others", .is_pattern = true};
  for (CausedBy const& one : screen.caused_by)
    if (lines.size() < most_lines && share(one).value_or(0) >= least_share) lines.push_back(one);
    else others.caused_s += one.caused_s;
  if (share(others).value_or(0) >= least_share) lines.push_back(others);
  auto const direct = [](CausedBy const& one) {
    return one.is_pattern ? std::nullopt : share_of(one.direct_s, one.caused_s);
  };
  std::size_t const room = terminal.width - std::min(terminal.width, room_of_numbers);
  auto const call = [room](CausedBy const& one) -> std::string {
    if (one.call.empty()) return "-";
    if (one.site.empty()) return shorten(one.call, room);
    std::string const before_site = one.call + " at ";
    if (room <= before_site.size()) return shorten(before_site + one.site, room);
    return before_site + shorten_site(one.site, room - before_site.size());
  };
  table::View<CausedBy> const view{.name = "waited_for",
                                   .columns = {{"who", "Who is waited for", Kind::name, &CausedBy::who},
                                               {"wall_share", "Of all ranks' time", Kind::share, share},
                                               {"direct_share", "Of it directly", Kind::share, direct},
                                               {"call", "Is late before", Kind::name, call}}};
  table::Table table = table_of(view, std::move(lines));
  table.in = table::In::people;
  return table;
}

Document account_for_page(FirstScreen const& screen) {
  Document document;
  if (std::string verdict = describe_verdict(screen); !verdict.empty())
    document.notes.emplace_back("Verdict", std::move(verdict));
  document.tables = {table_of_account(screen.summary, Terminal{}), table_of_waited_for(screen, Terminal{})};
  return document;
}

}  // namespace mpisee_through
