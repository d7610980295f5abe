// A view added as CONTRIBUTING.md says: the time of each communicator, in one table. See extend.py.
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using table::Kind;

table::View<CommunicatorSummary const*> view_of_times() {
  using Line = CommunicatorSummary const*;
  return {.name = "times",
          .columns = {{"comm", "Communicator", Kind::name, [](Line const& one) { return one->name; }},
                      {"comm_size", "Size", Kind::count, [](Line const& one) { return one->size; }},
                      {"time_s", "Time", Kind::seconds, [](Line const& one) { return one->totals.time_s; }}}};
}

}  // namespace

void show_times(std::ostream& out, Format format, Summary const& summary, Arrangement const& /*arrangement*/) {
  std::vector<CommunicatorSummary const*> lines;
  for (CommunicatorSummary const& one : summary.communicators) lines.push_back(&one);
  show(out, format, table_of(view_of_times(), lines), around_tables(summary));
}

}  // namespace mpisee_through
