#include <fmt/format.h>
#include <fmt/ostream.h>

#include "files/visible_text.hpp"
#include "summary/census.hpp"
#include "summary/collectives.hpp"
#include "summary/sites.hpp"
#include "text/csv_field.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

// mpi_share,wall_share,time_mean_s
std::string costs(Summary const& summary, Totals const& totals) {
  return fmt::format("{},{},{}", csv_field(summary.share_of_mpi(totals)), csv_field(summary.share_of_wall(totals)),
                     csv_field(totals.call_s()));
}

void write_csv_operations(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  bool const by_size = summary.detail == Detail::message_sizes;
  fmt::print(out,
             "comm,comm_size,members,created_by,topology,user_name,comm_mpi_share,op,{}"
             "ranks,calls,bytes_sent,bytes_received,time_s,rank_mean_s,rank_min_s,rank_max_s,time_min_s,time_max_s,"
             "mpi_share,wall_share,time_mean_s,imbalance{}\n",
             by_size                      ? "size_min,size_max,"
             : is_by_site(summary.detail) ? "site,function,file,line,"
                                          : "",
             by_size ? ",op_time_share,op_bytes_share" : "");
  for (OperationBlock const& block : arrange_blocks(summary, arrangement)) {
    CommunicatorSummary const& communicator = summary.communicator(block.communicator);
    auto const totals_of_all = totals_by_operation(communicator);
    std::string const about_communicator = fmt::format(
        "{},{},{},{},{},{},{}", csv_field(communicator.name), communicator.size, csv_field(communicator.members),
        csv_field(communicator.created_by), csv_field(communicator.topology), csv_field(communicator.user_name),
        csv_field(summary.share_of_mpi(communicator)));
    for (OperationSummary const* operation : block.lines) {
      Totals const& totals = operation->totals;
      fmt::print(out, "{},{},", about_communicator, csv_field(summary.name_of(operation->operation)));
      if (operation->size) fmt::print(out, "{},{},", operation->size->min_bytes, operation->size->max_bytes);
      if (operation->site) {
        std::string const& site = summary.site(*operation->site);
        SourcePlace const& place = summary.site_names->place(site);
        fmt::print(out, "{},{},{},{},", csv_field(visible(site)), csv_field(place.function), csv_field(place.file),
                   csv_field(place.line));
      }
      fmt::print(out, "{},{},{},{},{},{},{},{},{},{},{},{}", communicator.ranks, totals.calls, totals.bytes_sent,
                 totals.bytes_received, totals.time_s, communicator.mean_s(*operation), communicator.min_s(*operation),
                 communicator.max_s(*operation), operation->shortest_s, operation->longest_s, costs(summary, totals),
                 csv_field(communicator.imbalance(*operation)));
      if (operation->size) {
        SharesOfSize const shares = shares_of(totals, totals_of_all.at(operation->operation));
        fmt::print(out, ",{},{}", csv_field(shares.time), csv_field(shares.bytes));
      }
      out << '\n';
    }
  }
}

void write_csv_tree(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  out << "comm,parent,depth,created_by,size,members,topology,reorder,user_name,freed,instances,"
         "ranks,calls,bytes_sent,bytes_received,time_s,mpi_share,wall_share,time_mean_s,imbalance\n";
  for (TreeNode const& node : arrange_tree(summary, arrangement)) {
    if (!node.selected) continue;
    CommunicatorSummary const& communicator = summary.communicator(node.communicator);
    Totals const& totals = communicator.totals;
    fmt::print(out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(communicator.name),
               csv_field(communicator.parent), node.depth, csv_field(communicator.created_by), communicator.size,
               csv_field(communicator.members), csv_field(communicator.topology), csv_field(communicator.reorder),
               csv_field(communicator.user_name), communicator.freed ? 1 : 0, communicator.instances,
               communicator.ranks, totals.calls, totals.bytes_sent, totals.bytes_received, totals.time_s,
               costs(summary, totals), csv_field(communicator.imbalance()));
  }
}

void write_csv_collectives(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  out << "comm,comm_size,ranks,direction,operations,calls,bytes_sent,bytes_received,time_s,mpi_share,wall_share,"
         "time_mean_s\n";
  for (CollectiveSummary const& collective : sum_up_collectives(summary, arrangement)) {
    CommunicatorSummary const& communicator = summary.communicator(collective.communicator);
    Totals const& totals = collective.totals;
    fmt::print(out, "{},{},{},{},{},{},{},{},{},{}\n", csv_field(communicator.name), communicator.size,
               communicator.ranks, name_of(collective.direction), collective.operations, totals.calls,
               totals.bytes_sent, totals.bytes_received, totals.time_s, costs(summary, totals));
  }
}

void write_csv_communicators(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  out << "comm,parent,created_by,size,members,topology,reorder,user_name,freed,instances,"
         "ranks,calls,bytes_sent,bytes_received,time_s,mpi_share,rank_mean_s,rank_min_s,rank_max_s,"
         "wall_share,time_mean_s,imbalance\n";
  for (CommunicatorIndex const index : arrange_communicators(summary, arrangement, Include::all_selected)) {
    CommunicatorSummary const& one = summary.communicator(index);
    Totals const& totals = one.totals;
    fmt::print(out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(one.name),
               csv_field(one.parent), csv_field(one.created_by), one.size, csv_field(one.members),
               csv_field(one.topology), csv_field(one.reorder), csv_field(one.user_name), one.freed ? 1 : 0,
               one.instances, one.ranks, totals.calls, totals.bytes_sent, totals.bytes_received, totals.time_s,
               csv_field(summary.share_of_mpi(one)), one.mean_s(), one.min_s(), one.max_s(),
               csv_field(summary.share_of_wall(totals)), csv_field(totals.call_s()), csv_field(one.imbalance()));
  }
}

void write_csv_census(std::ostream& out, Summary const& summary) {
  out << "size,created_by,communicators,freed\n";
  for (CensusLine const& line : take_census(summary)) {
    fmt::print(out, "{},{},{},{}\n", line.size, csv_field(line.created_by), line.communicators, line.freed);
  }
}

void write_csv_sites(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  out << "site,function,file,line,op,communicators,comm,calls,bytes_sent,bytes_received,time_s,mpi_share,"
         "wall_share,time_mean_s,imbalance\n";
  for (SiteLine const& line : sum_up_sites(summary, arrangement)) {
    std::string const& site = summary.site(line.site);
    SourcePlace const& place = summary.site_names->place(site);
    fmt::print(out, "{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(visible(site)), csv_field(place.function),
               csv_field(place.file), csv_field(place.line), csv_field(summary.name_of(line.operation)),
               line.communicators, csv_field(summary.communicator(line.communicator).name), line.totals.calls,
               line.totals.bytes_sent, line.totals.bytes_received, line.totals.time_s, costs(summary, line.totals),
               csv_field(line.imbalance()));
  }
}

}  // namespace

void write_csv(std::ostream& out, Summary const& summary, View view, Arrangement const& arrangement) {
  if (view == View::communicators) return write_csv_communicators(out, summary, arrangement);
  if (view == View::census) return write_csv_census(out, summary);
  if (view == View::sites) return write_csv_sites(out, summary, arrangement);
  if (view == View::tree) return write_csv_tree(out, summary, arrangement);
  if (view == View::collectives) return write_csv_collectives(out, summary, arrangement);
  write_csv_operations(out, summary, arrangement);
}

void write_csv(std::ostream& out, Traffic const& traffic, TrafficLayout const& layout) {
  bool const by_size = traffic.detail == Detail::message_sizes;
  fmt::print(out, "{},{}messages,bytes\n", traffic.is_by_host ? "src_host,dst_host" : "src,dst",
             by_size ? "size_min,size_max," : "");
  for (std::size_t const index : pairs_to_list(traffic, layout)) {
    PairTraffic const& pair = traffic.pairs[index];
    std::string const ends =
        fmt::format("{},{}", csv_field(field_of_end(traffic, pair.from)), csv_field(field_of_end(traffic, pair.to)));
    if (!by_size) {
      fmt::print(out, "{},{},{}\n", ends, pair.amount.messages, pair.amount.bytes);
      continue;
    }
    for (SizeAmount const& one : sizes_of(traffic, pair)) {
      fmt::print(out, "{},{},{},{},{}\n", ends, one.size.min_bytes, one.size.max_bytes, one.amount.messages,
                 one.amount.bytes);
    }
  }
}

void write_csv(std::ostream& out, Regions const& regions) {
  out << "region,depth,ranks,entered,wall_s,wall_mean_s,wall_max_s,wall_with_inner_s,mpi_s,mpi_share,"
         "parallel_efficiency,load_balance,communication_efficiency,inclusive_wall_mean_s,inclusive_wall_max_s,"
         "inclusive_mpi_s,inclusive_mpi_share,inclusive_parallel_efficiency,inclusive_load_balance,"
         "inclusive_communication_efficiency\n";
  auto const efficiencies = [](RegionTotals const& totals) {
    return fmt::format("{},{},{},{}", csv_field(totals.mpi_share()), csv_field(totals.efficiency.parallel()),
                       csv_field(totals.efficiency.load_balance()), csv_field(totals.efficiency.communication()));
  };
  for (RegionSummary const& region : regions.regions) {
    if (!region.selected) continue;
    auto const& [exclusive, inclusive] = std::tie(region.exclusive, region.inclusive);
    fmt::print(out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(region.path), region.depth,
               exclusive.ranks, exclusive.entered, exclusive.wall_s, exclusive.wall_mean_s(), exclusive.wall_max_s,
               inclusive.wall_s, exclusive.mpi_s, efficiencies(exclusive), inclusive.wall_mean_s(),
               inclusive.wall_max_s, inclusive.mpi_s, efficiencies(inclusive));
  }
}

}  // namespace mpisee_through
