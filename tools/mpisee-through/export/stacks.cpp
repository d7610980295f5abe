// Stacks: the region, what calls MPI with its callers, the MPI call, and below it the part that is waiting.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "export/export.hpp"
#include "reader/group_by.hpp"
#include "summary/overview.hpp"
#include "symbols/site_names.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t most_single_ranks = 4;  // that get a profile of their own

struct Frame {
  std::string name, file, line;

  friend auto operator<=>(Frame const&, Frame const&) = default;
};

struct Stack {
  std::vector<Frame> frames;  // outermost first
  double time_s;
};

// As numbers of texts.
enum class TextNumber : std::uint32_t {};
struct Calls {
  TextNumber region, site, operation;

  friend auto operator<=>(Calls const&, Calls const&) = default;
};

std::vector<std::string> parts_of(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (std::size_t end = text.find(separator); end != text.npos; end = text.find(separator)) {
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + separator.size());
  }
  parts.emplace_back(text);
  return parts;
}

class Stacks {
 public:
  explicit Stacks(Profile const& profile) : profile_(profile), names_(profile) {}

  // Sorted by their frames.
  [[nodiscard]] std::vector<Stack> of_all_ranks() {
    auto const every = [](auto const& /*row*/) { return true; };
    if (!profile_.holds(commprof::schema::summary)) return of<OperationRow, WaitRow>(every, every);
    auto const is_finest = [](SummaryRow const& row) {
      return row.size && !is_several(row.region) && !is_several(row.site);
    };
    return of<SummaryRow, WaitRow>(is_finest, every);
  }
  [[nodiscard]] std::vector<Stack> of_rank(WorldRank rank) {
    auto const is_of_rank = [rank](auto const& row) { return row.rank == rank; };
    return of<OperationRow, RankWaitRow>(is_of_rank, is_of_rank);
  }

 private:
  using Waiting = std::map<std::pair<std::string, std::string>, double>;  // by operation and site, in seconds

  template <class Row, class WaitingRow, class Selects, class SelectsWaiting>
  std::vector<Stack> of(Selects selects, SelectsWaiting selects_waiting) {
    NumberedTexts<TextNumber> texts;
    auto const calls_of = [&texts](Row const& row) {
      return Calls{texts.number_of(row.region), texts.number_of(row.site), texts.number_of(row.operation)};
    };
    Where rows(selects);
    auto sums = group_by<Row>(profile_, rows, Grouping(calls_of, &Row::time_s, SortedSums<Calls, Seconds>()));
    auto const text = [&texts](TextNumber number) { return texts.all()[static_cast<std::size_t>(number)]; };
    auto const times = sums.take();
    Waiting all;  // the time of all calls at a site, in any region
    for (auto const& [calls, time_s] : times) all[{text(calls.operation), text(calls.site)}] += time_s;
    Waiting const waiting = read_waiting<WaitingRow>(selects_waiting);
    std::vector<Stack> stacks;
    for (auto const& [calls, time_s] : times) {
      std::pair const place(text(calls.operation), text(calls.site));
      auto const waited = waiting.find(place);
      double const share =
          waited == waiting.end() ? 0 : std::min(share_of(waited->second, all.at(place)).value_or(0), 1.0);
      Stack stack{frames_of(text(calls.region), place.second, place.first), time_s * (1 - share)};
      Stack below{stack.frames, time_s * share};
      below.frames.push_back({"waiting for others", "", ""});
      for (Stack& one : {std::ref(stack), std::ref(below)})
        if (one.time_s > 0) stacks.push_back(std::move(one));
    }
    std::ranges::sort(stacks, {}, &Stack::frames);
    return stacks;
  }

  template <class Row, class Selects>
  Waiting read_waiting(Selects selects) const {
    Waiting waiting;
    constexpr auto const& file =
        std::is_same_v<Row, WaitRow> ? commprof::schema::waits : commprof::schema::waits_by_rank;
    if (!profile_.holds(file)) return waiting;
    for_each_row<Row>(profile_, [&](Row const& row) {
      if (row.kind != WaitKind::pending && selects(row))
        waiting[{std::string(row.operation), std::string(row.site)}] += row.wait_s;
    });
    return waiting;
  }

  [[nodiscard]] std::vector<Frame> frames_of(std::string const& region, std::string const& site,
                                             std::string const& operation) const {
    std::vector<Frame> frames;
    for (std::string& part : parts_of(region, "/")) frames.push_back({std::move(part), "", ""});
    SourcePlace const& place = names_.place(site);
    if (place.is_known()) {
      auto const functions = parts_of(place.function, " < "), files = parts_of(place.file, " < "),
                 lines = parts_of(place.line, " < ");
      auto const of = [](std::vector<std::string> const& parts, std::size_t i) {
        return i < parts.size() && parts[i] != "?" ? parts[i] : std::string();
      };
      for (std::size_t i = std::max(functions.size(), files.size()); i-- > 0;) {
        std::string const function = of(functions, i), file = of(files, i);
        std::string const name = !function.empty() ? function : !file.empty() ? file : "(unknown)";
        frames.push_back({name, file, of(lines, i)});
      }
    } else if (!site.empty()) {
      frames.push_back({site, "", ""});
    }
    frames.push_back({"MPI_" + operation, "", ""});
    return frames;
  }

  Profile const& profile_;
  SiteNames names_;
};

// Those whose time in MPI is farthest from the mean, and whose rows the profile has.
std::vector<WorldRank> differing_ranks(Overview const& overview) {
  double const mean_s = share_of(overview.mpi_s, overview.selected_ranks).value_or(0);
  auto const distance = [&](WorldRank rank) { return -std::abs(overview.times_of(rank).mpi_s - mean_s); };
  std::vector<WorldRank> ranks;
  for (std::uint32_t rank = 0; rank < overview.run.ranks; ++rank) {
    bool const has_rows = !overview.run.detailed_ranks || overview.run.detailed_ranks->contains(WorldRank{rank});
    if (has_rows && overview.times_of_rank[rank].wall_s > 0) ranks.push_back(WorldRank{rank});
  }
  std::ranges::stable_sort(ranks, {}, distance);
  ranks.resize(overview.run.ranks == 1 ? 0 : std::min(ranks.size(), most_single_ranks));
  return ranks;
}

// The profile of a speedscope file. Frames are numbered as they come.
std::string profile_json(std::string_view name, std::vector<Stack> const& stacks,
                         std::map<Frame, std::size_t>& numbers) {
  std::vector<std::string> samples;
  std::vector<double> weights;
  double all_s = 0;
  for (Stack const& stack : stacks) {
    std::vector<std::size_t> sample;
    for (Frame const& frame : stack.frames) sample.push_back(numbers.emplace(frame, numbers.size()).first->second);
    samples.push_back(fmt::format("[{}]", fmt::join(sample, ",")));
    weights.push_back(stack.time_s);
    all_s += stack.time_s;
  }
  return fmt::format(
      R"({{"type":"sampled","name":{},"unit":"seconds","startValue":0,"endValue":{},"samples":[{}],"weights":[{}]}})",
      dump(name), all_s, fmt::join(samples, ","), fmt::join(weights, ","));
}

}  // namespace

void write_speedscope(std::ostream& out, Profile const& profile) {
  Overview const overview = read_overview(profile, {});
  Stacks stacks(profile);
  std::map<Frame, std::size_t> numbers;
  std::vector<std::string> profiles{
      profile_json(fmt::format("time in MPI, all {} ranks", overview.run.ranks), stacks.of_all_ranks(), numbers)};
  for (WorldRank const rank : differing_ranks(overview))
    profiles.push_back(
        profile_json(fmt::format("rank {}", static_cast<std::uint32_t>(rank)), stacks.of_rank(rank), numbers));
  std::vector<std::string> frames(numbers.size());
  for (auto const& [frame, number] : numbers) {
    std::string json = fmt::format(R"({{"name":{})", dump(frame.name));
    if (!frame.file.empty()) json += fmt::format(R"(,"file":{})", dump(frame.file));
    if (!frame.line.empty()) json += fmt::format(R"(,"line":{})", frame.line);
    frames[number] = json + "}";
  }
  out << fmt::format(
             R"({{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"commprof {}","name":{},)"
             R"("activeProfileIndex":0,"shared":{{"frames":[{}]}},"profiles":[{}]}})",
             COMMPROF_VERSION, dump(command_of(overview.run)), fmt::join(frames, ",\n"), fmt::join(profiles, ",\n"))
      << '\n';
}

void write_collapsed(std::ostream& out, Profile const& profile) {
  for (Stack const& stack : Stacks(profile).of_all_ranks()) {
    std::string line;
    for (Frame const& frame : stack.frames) {
      std::string name = frame.name;
      std::ranges::replace(name, ';', ':');
      line += (line.empty() ? "" : ";") + name;
    }
    out << fmt::format("{} {}\n", line, std::llround(stack.time_s * 1e6));
  }
}

}  // namespace mpisee_through
