// Where the time of all ranks went, as a table: a line for each class of the account.
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "views/views.hpp"

namespace mpisee_through {

table::Table table_of_account(Overview const& overview, std::optional<Terminal> const& terminal) {
  struct Line {
    std::string_view name;
    double time_s = 0;
    std::optional<double> share;
  };
  static constexpr std::array<std::pair<std::string_view, double Account::*>, 6> classes{{
      {"work", &Account::work_s},
      {"without a processor", &Account::without_processor_s},
      {"waiting for others", &Account::waiting_s},
      {"moving data", &Account::moving_s},
      {"other MPI calls", &Account::other_s},
      {"not known", &Account::unknown_s},
  }};
  constexpr double least_of_people = 0.0005;
  std::vector<Line> lines;
  std::vector<double> shares;
  for (auto const& [name, part] : classes) {
    if (!overview.account) break;
    double const time_s = *overview.account.*part;
    auto const share = share_of(time_s, overview.threads_wall_s);
    if (terminal && share.value_or(0) < least_of_people) continue;
    lines.push_back({name, time_s, share});
    shares.push_back(share.value_or(0));
  }
  table::View<Line> const view{.name = "account",
                               .columns = {{"class", "Where the time went", table::Kind::name, &Line::name},
                                           {"time_s", "", table::Kind::seconds, &Line::time_s},
                                           {"wall_share", "Share", table::Kind::share, &Line::share}}};
  table::Table table = table_of(view, std::move(lines));
  if (!terminal) return table;
  table.behind = [shares, terminal = *terminal](std::size_t line, std::size_t room) {
    constexpr std::size_t longest_bar = 50;
    std::string const bar = terminal.bar(shares[line], std::min(room, longest_bar));
    return bar.empty() ? bar : terminal.cyan(bar);
  };
  return table;
}

}  // namespace mpisee_through
