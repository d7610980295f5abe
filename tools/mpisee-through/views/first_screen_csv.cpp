#include <fmt/format.h>
#include <fmt/ostream.h>

#include "text/csv_field.hpp"
#include "views/first_screen_tables.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

// Writes a fact a line: its subject, the subject's name, the quantity, the value.
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
  // Adds the columns with these keys and their bounds; skips unknown values.
  template <class Line>
  void add(std::string_view about, std::string_view name, std::vector<table::Column<Line>> const& columns,
           Line const& line, std::initializer_list<std::string_view> keys, std::string_view prefix = "") {
    for (std::string_view const key : keys) {
      table::Value const value = columns[index_of_key(columns, key)].value(line);
      if (!value.is_known()) continue;
      std::string field;
      value.add_csv(field);
      fmt::print(out_, "{},{},{}{},{}\n", about, csv_field(name), prefix, key, field);
      if (value.bound() != table::Bound::none)
        add(about, name, fmt::format("{}{}_bound", prefix, key), words_of(value.bound()));
    }
  }
  void add(std::string_view about, std::string_view name, Efficiency const& efficiency, std::string_view prefix = "") {
    add(about, name, efficiency_columns(), efficiency,
        {"parallel_efficiency", "load_balance", "communication_efficiency", "serialisation_efficiency",
         "transfer_efficiency", "useful_mean_s", "useful_max_s", "wall_max_s"},
        prefix);
  }

 private:
  std::ostream& out_;
};

void add_findings(Facts& facts, FirstScreen const& screen) {
  for (auto const& [told, explained_by] : flattened(screen)) {
    Finding const& finding = *told;
    facts.add("finding", finding.rule, "wall_share", finding.weight);
    if (!explained_by.empty())
      facts.add("finding", finding.rule, finding.only_may_follow ? "may_follow_from" : "explained_by", explained_by);
    facts.add("finding", finding.rule, "fact", finding.fact);
    facts.add("finding", finding.rule, "try", finding.advice);
    facts.add("finding", finding.rule, "more", "mpisee-through " + arguments_of(finding, screen));
    if (!finding.note.empty()) facts.add("finding", finding.rule, "note", finding.note);
  }
}

}  // namespace

void write_csv(std::ostream& out, FirstScreen const& screen) {
  Summary const& summary = screen.summary;
  Facts facts(out);
  facts.add("run", "", "ranks", summary.selected_ranks);
  facts.add("run", "", "hosts", summary.hosts);
  facts.add("run", "", "rank_wall_s", summary.wall_s);
  facts.add("run", "", "rank_mpi_s", summary.mpi_s);
  facts.add("run", "", "thread_wall_s", summary.threads_wall_s);
  if (screen.has_efficiencies) facts.add("run", "", summary.efficiency);
  for (RegionSummary const& region : screen.regions) {
    facts.add("region", region.path, region.exclusive.efficiency);
    facts.add("region", region.path, region.inclusive.efficiency, "inclusive_");
  }
  auto const costs = view_of_costs();
  for (ScreenRow const& row : communicators_of(screen))
    facts.add("communicator", row.communicator.one->name, costs.columns, row,
              {"mpi_share", "wait_s", "rank_mean_s", "rank_min_s", "rank_max_s", "wall_share", "imbalance"});
  for (auto const& [kind, totals] : totals_by_kind(summary)) {
    facts.add("kind", name_of(kind), "time_s", double{totals.time_s});
    facts.add("kind", name_of(kind), "mpi_share", summary.share_of_mpi(totals));
    facts.add("kind", name_of(kind), "bytes", totals.bytes());
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
    facts.add("pair", name, "messages_share_of_bytes_sent", screen.busiest_pair->share_of_bytes_sent());
  }
  if (screen.main_sizes) {
    auto const name = [](SizeBin const& size) { return fmt::format("{} {}", size.min_bytes, size.max_bytes); };
    auto const& [by_time, by_bytes, time_s] = *screen.main_sizes;
    facts.add("size", name(by_time.size), "time_share", by_time.share);
    facts.add("size", name(by_bytes.size), "bytes_share", by_bytes.share);
  }
  add_findings(facts, screen);
}

}  // namespace mpisee_through
