#include <fmt/format.h>
#include <fmt/ostream.h>

#include "text/csv_field.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

// One fact a line: about what, its name, which quantity, its value.
class Facts {
 public:
  explicit Facts(std::ostream& out) : out_(out) { out_ << "about,name,quantity,value\n"; }

  template <class Value>
  void add(std::string_view about, std::string_view name, std::string_view quantity, Value const& value) {
    fmt::print(out_, "{},{},{},{}\n", about, csv_field(name), quantity, csv_field(fmt::format("{}", value)));
  }
  void add(std::string_view about, std::string_view name, std::string_view quantity, std::optional<double> value) {
    if (value) add(about, name, quantity, *value);
  }
  void add(std::string_view about, std::string_view name, Efficiency const& efficiency, std::string_view prefix = "") {
    auto const add = [&](std::string_view quantity, std::optional<double> value) {
      this->add(about, name, fmt::format("{}{}", prefix, quantity), value);
    };
    add("parallel_efficiency", efficiency.parallel());
    add("load_balance", efficiency.load_balance());
    add("communication_efficiency", efficiency.communication());
    add("serialisation_efficiency", efficiency.serialisation());
    add("transfer_efficiency", efficiency.transfer());
    add("useful_mean_s", efficiency.useful_mean_s());
    add("useful_max_s", efficiency.useful_max_s());
    add("wall_max_s", efficiency.wall_max_s());
  }
  void add(std::string_view communicator, Waiting const& waiting) {
    add("communicator", communicator, "wait_s", waiting.wait_s);
    if (waiting.is_upper_bound) add("communicator", communicator, "wait_s_bound", "at most");
  }

 private:
  std::ostream& out_;
};

}  // namespace

void write_csv(std::ostream& out, FirstScreen const& screen) {
  Summary const& summary = screen.summary;
  Facts facts(out);
  facts.add("run", "", "ranks", summary.selected_ranks);
  facts.add("run", "", "hosts", summary.hosts);
  facts.add("run", "", "rank_wall_s", summary.wall_s);
  facts.add("run", "", "rank_mpi_s", summary.mpi_s);
  if (screen.has_efficiencies) facts.add("run", "", summary.efficiency);
  for (RegionSummary const& region : screen.regions) {
    facts.add("region", region.path, region.exclusive.efficiency);
    facts.add("region", region.path, region.inclusive.efficiency, "inclusive_");
  }
  for (CommunicatorIndex const index : arrange_communicators(summary, {}, Include::with_operations)) {
    CommunicatorSummary const& one = summary.communicator(index);
    facts.add("communicator", one.name, "mpi_share", summary.share_of_mpi(one));
    if (auto const waiting = screen.waits.on(index)) facts.add(one.name, *waiting);
    facts.add("communicator", one.name, "rank_mean_s", one.mean_s());
    facts.add("communicator", one.name, "rank_min_s", one.min_s());
    facts.add("communicator", one.name, "rank_max_s", one.max_s());
    facts.add("communicator", one.name, "wall_share", summary.share_of_wall(one.totals));
    facts.add("communicator", one.name, "imbalance", one.imbalance());
  }
  if (auto const call = find_costliest_call(summary)) {
    Totals const& totals = call->operation->totals;
    std::string const name = fmt::format("{} on {}", summary.name_of(call->operation->operation),
                                         summary.communicator(call->communicator).name);
    facts.add("call", name, "mpi_share", summary.share_of_mpi(totals));
    facts.add("call", name, "wall_share", summary.share_of_wall(totals));
  }
  if (screen.busiest_pair) {
    PairTraffic const& pair = screen.busiest_pair->pair;
    std::string const name = fmt::format("{} {}", rank_number(pair.from), rank_number(pair.to));
    facts.add("pair", name, "bytes", pair.amount.bytes);
    facts.add("pair", name, "bytes_share", screen.busiest_pair->share());
  }
  if (screen.main_sizes) {
    auto const name = [](SizeBin const& size) { return fmt::format("{} {}", size.min_bytes, size.max_bytes); };
    auto const& [by_time, by_bytes] = *screen.main_sizes;
    facts.add("size", name(by_time.size), "time_share", by_time.share);
    facts.add("size", name(by_bytes.size), "bytes_share", by_bytes.share);
  }
  for (auto const& [told, explained_by] : told_findings(screen)) {
    Finding const& finding = *told;
    facts.add("finding", finding.rule, "wall_share", finding.weight);
    if (!explained_by.empty()) facts.add("finding", finding.rule, "explained_by", explained_by);
    facts.add("finding", finding.rule, "fact", finding.fact);
    facts.add("finding", finding.rule, "try", finding.advice);
    facts.add("finding", finding.rule, "more", "mpisee-through " + arguments_of(finding, screen));
  }
}

}  // namespace mpisee_through
