#include <fmt/format.h>
#include <fmt/ostream.h>

#include "views/forms.hpp"

namespace mpisee_through {
namespace {

// RFC 4180: quotes around what holds a separator, and quotes in it doubled. Names hold no line breaks.
std::string csv_field(std::string_view field) {
  if (field.find_first_of(",\"") == std::string_view::npos) return std::string(field);
  std::string text = "\"";
  for (char const character : field) text.append(character == '"' ? 2 : 1, character);
  return text + '"';
}

std::string share(std::optional<double> share) {
  return share ? fmt::format("{}", *share) : std::string();
}

void write_communicators(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  auto const shown = arrange_communicators(summary, arrangement, Include::with_operations);
  fmt::print(out,
             "comm,comm_size,members,created_by,topology,user_name,comm_mpi_share,op,{}"
             "ranks,calls,bytes_sent,bytes_received,time_s,rank_mean_s,rank_min_s,rank_max_s,time_min_s,time_max_s\n",
             summary.detail == Detail::message_sizes ? "size_min,size_max," : "");
  for (CommunicatorIndex const index : shown) {
    CommunicatorSummary const& communicator = summary.communicator(index);
    std::string const about_communicator = fmt::format(
        "{},{},{},{},{},{},{}", csv_field(communicator.name), communicator.size, csv_field(communicator.members),
        csv_field(communicator.created_by), csv_field(communicator.topology), csv_field(communicator.user_name),
        share(summary.share_of_mpi(communicator)));
    for (OperationSummary const* operation : arrange_operations(summary, communicator, arrangement.key)) {
      Totals const& totals = operation->totals;
      fmt::print(out, "{},{},", about_communicator, csv_field(summary.name_of(operation->operation)));
      if (operation->size) fmt::print(out, "{},{},", operation->size->min_bytes, operation->size->max_bytes);
      fmt::print(out, "{},{},{},{},{},{},{},{},{},{}\n", communicator.ranks, totals.calls, totals.bytes_sent,
                 totals.bytes_received, totals.time_s, communicator.mean_s(*operation), communicator.min_s(*operation),
                 communicator.max_s(*operation), operation->shortest_s, operation->longest_s);
    }
  }
}

void write_tree(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  out << "comm,parent,depth,created_by,size,members,topology,reorder,user_name,freed,instances,"
         "ranks,calls,bytes_sent,bytes_received,time_s,mpi_share\n";
  for (TreeNode const& node : arrange_tree(summary, arrangement)) {
    if (!node.selected) continue;
    CommunicatorSummary const& communicator = summary.communicator(node.communicator);
    Totals const& totals = communicator.totals;
    fmt::print(out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(communicator.name),
               csv_field(communicator.parent), node.depth, csv_field(communicator.created_by), communicator.size,
               csv_field(communicator.members), csv_field(communicator.topology), csv_field(communicator.reorder),
               csv_field(communicator.user_name), communicator.freed ? 1 : 0, communicator.instances,
               communicator.ranks, totals.calls, totals.bytes_sent, totals.bytes_received, totals.time_s,
               share(summary.share_of_mpi(communicator)));
  }
}

}  // namespace

void write_csv(std::ostream& out, Summary const& summary, View view, Arrangement const& arrangement) {
  view == View::tree ? write_tree(out, summary, arrangement) : write_communicators(out, summary, arrangement);
}

}  // namespace mpisee_through
