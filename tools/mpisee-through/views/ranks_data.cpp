#include <fmt/format.h>
#include <fmt/ostream.h>

#include "text/csv_field.hpp"
#include "views/forms.hpp"
#include "views/json_document.hpp"

namespace mpisee_through {

void write_csv(std::ostream& out, Summary const& summary, RankWaitTimes const& waits, RanksLayout const& layout) {
  out << "rank,host,wall_s,mpi_s,mpi_share,calls,bytes_sent,bytes_received,time_s,outside_mpi_s,wait_s,cpu_s,queued_"
         "s\n";
  for (RankSummary const& one : ranks_to_list(summary, layout)) {
    RankTimes const& times = summary.times_of_rank[static_cast<std::size_t>(one.rank)];
    Totals const& totals = one.totals;
    fmt::print(out, "{},{},{},{},{},{},{},{},{},{},{},{},{}\n", static_cast<std::uint32_t>(one.rank),
               csv_field(summary.host_of(one.rank)), times.wall_s, times.mpi_s, csv_field(times.mpi_share()),
               totals.calls, totals.bytes_sent, totals.bytes_received, totals.time_s, times.useful_s(),
               csv_field(wait_of(waits, one.rank)), csv_field(times.cpu_s), csv_field(times.queued_s));
  }
}

void write_json(std::ostream& out, Summary const& summary, RankWaitTimes const& waits, RanksLayout const& layout) {
  Document document(out, {{"run", head_of(summary)}}, "ranks");
  for (RankSummary const& one : ranks_to_list(summary, layout)) {
    RankTimes const& times = summary.times_of_rank[static_cast<std::size_t>(one.rank)];
    document.add({{"rank", static_cast<std::uint32_t>(one.rank)},
                  {"host", summary.host_of(one.rank)},
                  {"wall_s", times.wall_s},
                  {"mpi_s", times.mpi_s},
                  {"mpi_share", number_or_null(times.mpi_share())},
                  {"calls", one.totals.calls},
                  {"bytes_sent", one.totals.bytes_sent},
                  {"bytes_received", one.totals.bytes_received},
                  {"time_s", one.totals.time_s},
                  {"outside_mpi_s", times.useful_s()},
                  {"wait_s", number_or_null(wait_of(waits, one.rank))},
                  {"cpu_s", number_or_null(times.cpu_s)},
                  {"queued_s", number_or_null(times.queued_s)}});
  }
}

}  // namespace mpisee_through
