#include <fmt/format.h>
#include <fmt/ostream.h>

#include "files/visible_text.hpp"
#include "summary/sites.hpp"
#include "text/csv_field.hpp"
#include "views/forms.hpp"
#include "views/json_document.hpp"

namespace mpisee_through {
namespace {

std::string_view how(Waiting const& waiting) {
  return waiting.is_upper_bound ? commprof::schema::how_durations : commprof::schema::how_entries;
}

std::optional<double> part(double of, double whole) { return whole > 0 ? std::optional(of / whole) : std::nullopt; }

std::optional<double> share_of(RankWaiting const& rank) { return part(rank.wait_s, rank.time_s); }
std::optional<double> last_share_of(RankWaiting const& rank) {
  return part(static_cast<double>(rank.last), static_cast<double>(rank.samples));
}

std::string site_fields(Summary const& summary, OperationWaiting const& one) {
  SiteTotals const* const most = main_site(summary, summary_of(summary, one));
  if (most == nullptr) return ",,,";
  std::string const& site = summary.site(most->site);
  SourcePlace const& place = summary.site_names->place(site);
  return fmt::format("{},{},{},{}", csv_field(visible(site)), csv_field(place.function), csv_field(place.file),
                     csv_field(place.line));
}

std::string last_fields(OperationWaiting const& one) {
  if (!one.last) return ",,";
  return fmt::format("{},{},{}", static_cast<std::uint32_t>(one.last->rank), one.last->share,
                     csv_field(one.last->late_s));
}

void write_ranks(std::ostream& out, Summary const& summary, std::vector<RankWaits> const& blocks) {
  out << "comm,op,rank,host,samples,time_s,wait_s,wait_share,last,last_share\n";
  for (auto const& [one, ranks] : blocks) {
    for (RankWaiting const& rank : ranks) {
      fmt::print(out, "{},{},{},{},{},{},{},{},{},{}\n", csv_field(summary.communicator(one->communicator).name),
                 csv_field(summary.name_of(one->operation)), static_cast<std::uint32_t>(rank.rank),
                 csv_field(summary.host_of(rank.rank)), rank.samples, rank.time_s, rank.wait_s,
                 csv_field(share_of(rank)), rank.last, csv_field(last_share_of(rank)));
    }
  }
}

Json describe(Summary const& summary, OperationWaiting const& one) {
  Json object{{"comm", summary.communicator(one.communicator).name},
              {"comm_size", summary.communicator(one.communicator).size},
              {"op", summary.name_of(one.operation)},
              {"ranks", one.ranks},
              {"calls", one.calls},
              {"samples", one.samples},
              {"how", how(one)},
              {"time_s", one.time_s},
              {"wait_s", one.wait_s},
              {"wait_share", number_or_null(one.share())},
              {"wait_error_s", number_or_null(one.error_s)},
              {"move_s", number_or_null(one.move_s)},
              {"rest_s", number_or_null(one.rest_s)},
              {"last_rank", one.last ? Json(static_cast<std::uint32_t>(one.last->rank)) : Json()},
              {"last_share", one.last ? Json(one.last->share) : Json()},
              {"late_s", one.last ? number_or_null(one.last->late_s) : Json()}};
  if (SiteTotals const* const most = main_site(summary, summary_of(summary, one)))
    add_site(object, summary, most->site);
  return object;
}

Json describe(Summary const& summary, std::vector<RankWaiting> const& order) {
  Json ranks = Json::array();
  for (RankWaiting const& rank : order) {
    ranks.push_back({{"rank", static_cast<std::uint32_t>(rank.rank)},
                     {"host", summary.host_of(rank.rank)},
                     {"samples", rank.samples},
                     {"time_s", rank.time_s},
                     {"wait_s", rank.wait_s},
                     {"wait_share", number_or_null(share_of(rank))},
                     {"last", rank.last},
                     {"last_share", number_or_null(last_share_of(rank))}});
  }
  return ranks;
}

}  // namespace

void write_csv(std::ostream& out, Summary const& summary, Waits const& waits, Arrangement const& arrangement,
               bool by_rank) {
  if (by_rank) return write_ranks(out, summary, arrange_rank_waits(summary, waits, arrangement));
  out << "comm,comm_size,op,ranks,calls,samples,how,time_s,wait_s,wait_share,wait_error_s,move_s,rest_s,last_rank,"
         "last_share,late_s,site,function,file,line\n";
  for (OperationWaiting const* one : arrange_waits(summary, waits, arrangement)) {
    CommunicatorSummary const& communicator = summary.communicator(one->communicator);
    fmt::print(out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(communicator.name), communicator.size,
               csv_field(summary.name_of(one->operation)), one->ranks, one->calls, one->samples, how(*one), one->time_s,
               one->wait_s, csv_field(one->share()), csv_field(one->error_s), csv_field(one->move_s),
               csv_field(one->rest_s), last_fields(*one), site_fields(summary, *one));
  }
}

void write_json(std::ostream& out, Summary const& summary, Waits const& waits, Arrangement const& arrangement,
                bool by_rank) {
  Document document(out, {{"run", head_of(summary)}, {"not_sampled", counts(summary.run.not_sampled)}}, "waits");
  if (!by_rank) {
    for (OperationWaiting const* one : arrange_waits(summary, waits, arrangement))
      document.add(describe(summary, *one));
    return;
  }
  for (auto const& [one, ranks] : arrange_rank_waits(summary, waits, arrangement)) {
    Json object = describe(summary, *one);
    object["by_rank"] = describe(summary, ranks);
    document.add(object);
  }
}

}  // namespace mpisee_through
