// Metrics are named as Prometheus recommends, with base units in their names. The label `job` is Prometheus' own: the
// job's number is in the name of the profile, the label `run`.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "export/export.hpp"
#include "files/visible_text.hpp"
#include "findings/first_screen.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t most_calls = 50;  // costliest, by communicator and operation; the rest is one
constexpr std::string_view others = "(others)";

using Labels = std::vector<std::pair<std::string_view, std::string>>;

class Metrics {
 public:
  Metrics(std::ostream& out, Labels const& common) : out_(out), common_(text_of(common)) { common_.pop_back(); }

  void begin(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    out_ << fmt::format("# HELP commprof_{0} {2}\n# TYPE commprof_{0} {1}\n", name, type, help);
  }
  template <class Number>
  void add(Number value, Labels const& labels = {}) {
    out_ << fmt::format("commprof_{}{{{}{}}} {}\n", name_, text_of(labels), common_, value);
  }
  template <class Number>
  void gauge(std::string_view name, std::string_view help, Number value) {
    begin(name, "gauge", help);
    add(value);
  }

 private:
  static std::string text_of(Labels const& labels) {
    std::string text;
    for (auto const& [key, label] : labels) text += fmt::format("{}={},", key, dump(label));
    return text;
  }

  std::ostream& out_;
  std::string common_;
  std::string_view name_;
};

struct CallTotals {
  std::string comm, op;
  Totals totals;
};

// The costliest first; what is beyond the limit is the last one.
std::vector<CallTotals> calls_of(Summary const& summary) {
  std::vector<Cell> cells = summary.operations();
  std::ranges::stable_sort(
      cells, [](Cell const& one, Cell const& other) { return other.totals.time_s.is_less(one.totals.time_s); });
  std::vector<CallTotals> calls;
  for (Cell const& cell : cells) {
    if (calls.size() > most_calls) calls.back().totals += cell.totals;
    else if (calls.size() == most_calls) calls.push_back({std::string(others), std::string(others), cell.totals});
    else calls.push_back({summary.communicator(cell.communicator).name, summary.name_of(cell.operation), cell.totals});
  }
  return calls;
}

void add_calls(Metrics& metrics, Summary const& summary) {
  auto const calls = calls_of(summary);
  auto const add = [&](std::string_view name, std::string_view help, auto value_of) {
    metrics.begin(name, "counter", help);
    for (CallTotals const& one : calls) metrics.add(value_of(one.totals), {{"comm", one.comm}, {"op", one.op}});
  };
  add("mpi_seconds_total", "Time in MPI, summed over ranks.", [](Totals const& one) { return double{one.time_s}; });
  add("calls_total", "MPI calls of all ranks.", [](Totals const& one) { return one.calls; });
  add("sent_bytes_total", "Bytes that calls of all ranks sent.", [](Totals const& one) { return one.bytes_sent; });
  add("received_bytes_total", "Bytes that calls of all ranks received.",
      [](Totals const& one) { return one.bytes_received; });
}

void add_messages(Metrics& metrics, Run const& run) {
  if (!run.messages) return;
  metrics.begin("messages_total", "counter", "Messages between ranks.");
  metrics.add(run.messages->total.messages);
  metrics.begin("message_bytes_total", "counter", "Bytes in messages between ranks.");
  metrics.add(run.messages->total.bytes);
}

void add_times(Metrics& metrics, FirstScreen const& screen) {
  Summary const& summary = screen.summary;
  metrics.gauge("wall_seconds", "Wall time of the run, of the longest rank.", summary.run.wall_s);
  if (summary.account) {
    metrics.begin("time_seconds_total", "counter",
                  "Where the time of all ranks went; classes add up to their wall times.");
    for (AccountClass const& one : account_classes)
      metrics.add((*summary.account).*one.time_s, {{"class", std::string(one.name)}});
  }
  if (!screen.waits.operations.empty()) {
    double of_kind[wait_kinds.size()] = {};
    for (OperationWaiting const& one : screen.waits.operations)
      of_kind[static_cast<std::size_t>(one.kind)] += one.wait_s;
    metrics.begin("waiting_seconds_total", "counter", "Estimated waiting of all ranks, by what they wait for.");
    for (auto const& [kind, name] : wait_kinds.rows)
      if (kind != WaitKind::pending) metrics.add(of_kind[static_cast<std::size_t>(kind)], {{"for", std::string(name)}});
  }
  if (!screen.has_efficiencies) return;
  Efficiency const& all = summary.efficiency;
  metrics.begin("efficiency_ratio", "gauge", "Efficiencies of the POP methodology, 0 to 1.");
  for (auto const& [name, value] :
       {std::pair("parallel", all.parallel()), std::pair("load_balance", all.load_balance()),
        std::pair("processors", all.processors()), std::pair("communication", all.communication()),
        std::pair("serialisation", all.serialisation()), std::pair("transfer", all.transfer())})
    if (value) metrics.add(*value, {{"of", name}});
}

// A run that is not finished may have processes on other hosts, of which nobody here knows whether they are alive.
void add_state(Metrics& metrics, Run const& run) {
  metrics.gauge("ranks", "Ranks of the run.", run.ranks);
  metrics.gauge("finished", "1 once the profile is complete, 0 before.", run.unfinished ? 0 : 1);
  bool const has_state = run.unfinished && run.unfinished->state;
  metrics.gauge("ranks_alive", "Ranks whose processes run on this host.",
                has_state ? run.unfinished->state->running : 0);
  if (!has_state) return;
  metrics.gauge("ranks_stuck", "Ranks that can never go on, as they wait for each other.",
                run.unfinished->state->stuck_ranks);
  double quiet_s = run.wall_s;
  for (RankGroup const& group : run.unfinished->state->groups) {
    if (group.state == RankGroup::State::silent || group.has_ended) continue;
    quiet_s = std::min(quiet_s, group.state == RankGroup::State::changing ? 0 : group.shortest_s);
  }
  metrics.gauge("quiet_seconds", "Time since any rank last entered or left MPI.", quiet_s);
}

}  // namespace

void write_openmetrics(std::ostream& out, Profile const& profile) {
  FirstScreen const screen = read_first_page(profile, {});
  Run const& run = screen.summary.run;
  auto const hosts = screen.summary.known_hosts();
  std::filesystem::path const name = std::filesystem::weakly_canonical(profile.directory()).filename();
  Metrics metrics(
      out, {{"run", visible(name.string())}, {"host", hosts.empty() ? "" : hosts.front()}, {"program", run.program}});
  add_state(metrics, run);
  add_times(metrics, screen);
  add_calls(metrics, screen.summary);
  add_messages(metrics, run);
}

}  // namespace mpisee_through
