#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>

#include "export/export.hpp"
#include "findings/first_screen.hpp"

namespace mpisee_through {
namespace {

// More ranks, or more counters, than a browser shows.
constexpr std::uint32_t most_ranks = 1000;
constexpr std::size_t most_counters = 500'000;
// Whom a rank waits for: more arrows show nothing.
constexpr std::size_t most_arrows = 8;

class Trace {
 public:
  explicit Trace(std::ostream& out, FirstScreen const& screen) : out_(out), screen_(screen) {}

  void write() {
    Run const& run = screen_.summary.run;
    fmt::format_to(to(),
                   "{{\"displayTimeUnit\": \"ms\", \"otherData\": {{\"program\": {}, \"start\": {}, \"note\": {}}}, ",
                   dump(command_of(run)), dump(run.start), dump(note()));
    fmt::format_to(to(), "\"traceEvents\": [\n");
    if (screen_.windows) add_windows(*screen_.windows);
    for (Finding const& one : screen_.findings) add_change(one);
    if (run.unfinished && run.unfinished->state) add_calls(*run.unfinished->state, run.wall_s);
    // The list of events must not end with a comma.
    add(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"all ranks"}}}})", job);
    out_ << "\n]}\n";
  }

 private:
  static constexpr std::uint32_t job = 0;  // the process of the trace that stands for all ranks
  static std::uint32_t process_of(std::int64_t rank) { return static_cast<std::uint32_t>(rank) + 1; }
  static std::uint64_t us(double seconds) { return static_cast<std::uint64_t>(std::max(seconds, 0.0) * 1e6); }
  [[nodiscard]] bool is_by_host() const { return screen_.summary.run.ranks > most_ranks; }
  [[nodiscard]] std::string note() const {
    return is_by_host() ? fmt::format("more than {} ranks: counters are of hosts", most_ranks) : "";
  }

  std::ostream_iterator<char> to() { return std::ostream_iterator<char>(out_); }
  template <class... Values>
  void add(fmt::format_string<Values...> event, Values&&... values) {
    if (!is_first_) out_ << ",\n";
    is_first_ = false;
    fmt::format_to(to(), event, std::forward<Values>(values)...);
  }

  void name(std::uint32_t process, std::string_view name) {
    add(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})", process, dump(name));
    add(R"({{"ph":"M","pid":{},"name":"process_sort_index","args":{{"sort_index":{}}}}})", process, process);
  }

  void slice(std::uint32_t process, double begin_s, double length_s, std::string_view what, std::string_view place) {
    add(R"({{"ph":"X","pid":{},"tid":0,"ts":{},"dur":{},"name":{},"args":{{"place":{}}}}})", process, us(begin_s),
        us(length_s), dump(what), dump(place));
  }

  // A counter keeps its value until the next event.
  void count(std::uint32_t process, std::string_view counter, double begin_s, double value) {
    double& last = last_[std::pair(process, counter)];
    if (value == last) return;
    last = value;
    add(R"({{"ph":"C","pid":{},"ts":{},"name":"{}","args":{{"value":{:.4g}}}}})", process, us(begin_s), counter, value);
  }

  void add_windows(TimeWindows const& all) {
    std::size_t const tracks = is_by_host() ? all.known_hosts().size() : all.groups.size();
    TimeWindows const shown = joined(all, 1 + 3 * tracks * all.windows.size() / most_counters, 1);
    std::map<std::uint32_t, WindowGroup> lines;  // by process of the trace
    for (WindowGroup const& group : shown.groups) {
      auto const first = static_cast<std::uint32_t>(group.ranks.lowest());
      auto const host = static_cast<std::uint32_t>(all.host_of_rank[first]);
      WindowGroup& line = lines[process_of(is_by_host() ? host : first)];
      line.ranks.append(group.ranks);
      line.windows.resize(shown.windows.size());
      for (std::size_t i = 0; i < shown.windows.size(); ++i) line.windows[i] += group.windows[i];
    }
    for (auto const& [process, line] : lines) {
      WorldRank const first{static_cast<std::uint32_t>(line.ranks.lowest())};
      name(process, fmt::format("rank{} {} on {}", line.ranks.size() == 1 ? "" : "s", line.ranks.to_string(),
                                all.host_of(first)));
      slice(process, 0, all.run.unfinished ? all.run.wall_s : all.times_of(first).wall_s, all.run.program, "");
      add_line(shown.windows, line, process);
    }
    for (std::size_t i = 0; i < all.windows.size(); ++i) {
      double const begin_s = all.windows[i].begin_s;
      count(job, "parallel efficiency, %", begin_s, 100 * all.parallel_efficiency(i).value_or(0));
      count(job, "in MPI, %", begin_s, 100 * all.job(i).mpi_share().value_or(0));
    }
  }

  void add_line(std::vector<WindowSpan> const& windows, WindowGroup const& line, std::uint32_t process) {
    for (std::size_t i = 0; i < windows.size(); ++i) {
      WindowSum const& sum = line.windows[i];
      double const begin_s = windows[i].begin_s, length_s = windows[i].length_s();
      count(process, "in MPI, %", begin_s, 100 * sum.mpi_share().value_or(0));
      count(process, "calls a second", begin_s, static_cast<double>(sum.calls) / length_s);
      count(process, "bytes a second", begin_s, static_cast<double>(sum.bytes) / length_s);
    }
    for (char const* counter : {"in MPI, %", "calls a second", "bytes a second"})
      count(process, counter, windows.back().end_s, 0);
  }

  void add_change(Finding const& finding) {
    if (finding.changes_at_s)
      add(R"({{"ph":"i","pid":{},"tid":0,"s":"g","ts":{},"name":{}}})", job, us(*finding.changes_at_s),
          dump(finding.fact));
    for (Finding const& one : finding.consequences) add_change(one);
  }

  // The call that each rank is in, until the end, with arrows to those that it waits for.
  void add_calls(Situation const& state, double end_s) {
    for (RankGroup const& group : state.groups) {
      bool const is_in_mpi = group.state == RankGroup::State::in_mpi;
      std::string const call =
          is_in_mpi ? fmt::format("MPI_{}{}{}{}{}", group.operation, group.communicator.empty() ? "" : " on ",
                                  group.communicator, group.peer.empty() ? "" : " ", group.peer)
                    : std::string(name_of(group.state));
      std::string const place = screen_.lines.label(group.place);
      for (std::int32_t const rank : group.ranks)
        slice(process_of(rank), end_s - group.longest_s, std::min(group.longest_s, end_s), call, place);
    }
    for (RankGroup const& group : state.groups)
      for (std::int32_t const rank : group.ranks)
        for (std::size_t i = 0; i < std::min(group.waits_for.size(), most_arrows); ++i)
          add_arrow(state, group, rank, group.waits_for[i], end_s);
  }

  void add_arrow(Situation const& state, RankGroup const& from, std::int32_t rank, std::int32_t awaited, double end_s) {
    auto const holds = [&](RankGroup const& group) { return std::ranges::binary_search(group.ranks, awaited); };
    auto const to = std::ranges::find_if(state.groups, holds);
    if (rank == awaited || to == state.groups.end()) return;
    ++arrows_;
    double const when_s = end_s - std::min(from.longest_s, to->longest_s) / 2;  // both are in their calls
    for (auto const& [phase, end] : {std::pair("s", rank), std::pair("f", awaited)})
      add(R"({{"ph":"{}","bp":"e","id":{},"pid":{},"tid":0,"ts":{},"cat":"waits for","name":"waits for"}})", phase,
          arrows_, process_of(end), us(when_s));
  }

  std::ostream& out_;
  FirstScreen const& screen_;
  bool is_first_ = true;
  std::size_t arrows_ = 0;
  std::map<std::pair<std::uint32_t, std::string_view>, double> last_;
};

}  // namespace

void write_perfetto(std::ostream& out, Profile const& profile) {
  FirstScreen const screen = read_first_page(profile, {});
  Trace(out, screen).write();
}

}  // namespace mpisee_through
