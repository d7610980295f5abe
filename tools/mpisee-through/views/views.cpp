#include "views/views.hpp"

#include "views/forms.hpp"

namespace mpisee_through {

void show(std::ostream& out, Summary const& summary, View view, Format format, Arrangement const& arrangement) {
  if (format == Format::csv) return write_csv(out, summary, view, arrangement);
  if (format == Format::json) return write_json(out, summary, view, arrangement);
  print_head(out, summary);
  out << '\n';
  if (view == View::communicators) return print_communicators(out, summary, arrangement);
  if (view == View::census) return print_census(out, summary);
  if (view == View::tree) return print_tree(out, summary, arrangement);
  if (view == View::sites) return print_sites(out, summary, arrangement);
  if (view == View::collectives) return print_collectives(out, summary, arrangement);
  print_operations(out, summary, arrangement);
}

void show(std::ostream& out, Summary const& summary, Waits const& waits, Format format, Arrangement const& arrangement,
          bool by_rank) {
  if (format == Format::csv) return write_csv(out, summary, waits, arrangement, by_rank);
  if (format == Format::json) return write_json(out, summary, waits, arrangement, by_rank);
  print_head(out, summary);
  print_waits(out, summary, waits, arrangement, by_rank);
}

void show(std::ostream& out, Summary const& summary, Waits const& waits, Format format, RanksLayout const& layout) {
  RankWaitTimes const wait_times = waits.has_measured() ? waits.measured_of_rank : RankWaitTimes();
  if (format == Format::csv) return write_csv(out, summary, wait_times, layout);
  if (format == Format::json) return write_json(out, summary, wait_times, layout);
  print_head(out, summary);
  print_ranks(out, summary, wait_times, layout);
}

void show(std::ostream& out, FirstScreen const& screen, Format format, Terminal const& terminal) {
  if (format == Format::csv) return write_csv(out, screen);
  if (format == Format::json) return write_json(out, screen);
  print_first_screen(out, screen, terminal);
}

void show(std::ostream& out, Traffic const& traffic, Format format, TrafficLayout const& layout) {
  if (format == Format::csv) return write_csv(out, traffic, layout);
  if (format == Format::json) return write_json(out, traffic, layout);
  print_head(out, traffic);
  print_traffic(out, traffic, layout);
}

void show(std::ostream& out, Regions const& all, Format format, RegionsLayout const& layout) {
  Regions const regions = arrange_regions(all, layout.arrangement, layout.times);
  if (format == Format::csv) return write_csv(out, regions);
  if (format == Format::json) return write_json(out, regions);
  print_head(out, regions);
  print_regions(out, regions, layout.times);
}

}  // namespace mpisee_through
