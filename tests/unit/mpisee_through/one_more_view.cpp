// A view added as CONTRIBUTING.md says: the time of each communicator, in one table. See extend.py.
#include "views/views.hpp"

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

Document times(Summary const& summary, Arrangement const& /*arrangement*/) {
  std::vector<CommunicatorSummary const*> lines;
  for (CommunicatorSummary const& one : summary.communicators) lines.push_back(&one);
  Document document = document_of(summary);
  document.tables = {table_of(view_of_times(), std::move(lines))};
  return document;
}

}  // namespace mpisee_through
