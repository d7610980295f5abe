#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <set>

#include "summary/census.hpp"
#include "summary/communicator_groups.hpp"
#include "text/columns.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using namespace align;

std::vector<std::string> cells(Summary const& summary, CommunicatorSummary const& one) {
  return {one.name,
          format_count(one.size),
          format_share(summary.share_of_mpi(one)),
          format_share(summary.share_of_wall(one.totals)),
          format_seconds(one.mean_s()),
          format_share(one.imbalance()),
          format_seconds(one.totals.call_s()),
          format_bytes(one.totals.bytes()),
          format_count(one.totals.calls),
          describe_origin(one, summary.site_names.get())};
}

std::vector<std::string> cells(Summary const& summary, CommunicatorGroup const& group) {
  CommunicatorSummary const& first = summary.communicator(group.members.front());
  if (!group.is_joined()) return cells(summary, first);
  return {fmt::format("{} and {} more", first.name, format_count(group.members.size() - 1)),
          format_count(first.size),
          format_share(summary.share_of_mpi(group.totals)),
          format_share(summary.share_of_wall(group.totals)),
          "-",
          "-",
          format_seconds(group.totals.call_s()),
          format_bytes(group.totals.bytes()),
          format_count(group.totals.calls),
          describe_maker(summary, first)};
}

std::string name_of_maker(std::string const& created_by) { return created_by.empty() ? "by MPI" : created_by; }

}  // namespace

void print_communicators(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  Columns columns(0, {{"Communicator", left},
                      {"Size", right},
                      {"MPI time", right},
                      {"Of wall", right},
                      {"Mean", right},
                      {"Imbalance", right},
                      {"A call", right},
                      {"Volume", right},
                      {"Calls", right},
                      {"Made by", left}});
  auto const all = arrange_communicators(summary, {arrangement.key, {}}, Include::all_selected);
  std::vector<CommunicatorGroup> lines = group_by_maker(summary, all);
  if (arrangement.top && *arrangement.top < lines.size()) lines.resize(*arrangement.top);
  std::size_t hidden = all.size();
  KeptLines kept;
  for (CommunicatorGroup const& line : lines) {
    hidden -= line.members.size();
    auto const texts = cells(summary, line);
    columns.fit(texts);
    kept.add(texts);
  }
  columns.cut(9, arrangement.width);
  columns.print_titles(out);
  for (std::size_t i = 0; i < lines.size(); ++i) columns.print(out, kept);

  if (hidden > 0) out << "\nNot shown, beyond --top: " << format_number_of(hidden, "communicator") << ".\n";
  out << '\n';
  print_census(out, summary);
}

void print_census(std::ostream& out, Summary const& summary) {
  std::vector<CensusLine> const census = take_census(summary);
  std::set<std::string> makers;
  std::set<std::uint64_t> sizes;
  for (CensusLine const& line : census) {
    makers.insert(line.created_by);
    sizes.insert(line.size);
  }
  std::vector<std::string> titles;
  for (std::string const& maker : makers) titles.push_back(name_of_maker(maker));
  std::vector<Columns::Column> header{{"Size", right}, {"Communicators", right}};
  for (std::string const& title : titles) header.push_back({title, right});

  std::vector<std::vector<std::string>> lines;
  for (std::uint64_t const size : sizes) {
    std::uint64_t all = 0;
    std::vector<std::string> by_maker;
    for (std::string const& maker : makers) {
      auto const found = std::ranges::find_if(
          census, [&](CensusLine const& line) { return line.size == size && line.created_by == maker; });
      by_maker.push_back(found == census.end() ? "-" : format_count(found->communicators));
      if (found != census.end()) all += found->communicators;
    }
    std::vector<std::string>& line = lines.emplace_back(std::vector{format_count(size), format_count(all)});
    line.insert(line.end(), by_maker.begin(), by_maker.end());
  }
  Columns columns(0, header);
  for (auto const& line : lines) columns.fit(line);
  columns.print_titles(out);
  for (auto const& line : lines) columns.print(out, line);
}

}  // namespace mpisee_through
