#include "calls_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "calls/call_table.hpp"
#include "calls/other_calls.hpp"
#include "join.hpp"

namespace commprof::generator {

namespace {

struct RuleText {
  std::string_view rule;
  std::string_view text;
};

// Explains the functions of volume.hpp to readers.
constexpr RuleText rule_texts[] = {
    {"none", ""},
    {"send", "sent: the data; none to `MPI_PROC_NULL`"},
    {"receive", "received: what arrived"},
    {"sendrecv", "sent: the data; received: what arrived"},
    {"isendrecv", "sent: the data; received: as posted"},
    {"bcast", "received: the data, except at the root"},
    {"reduce", "sent: the data"},
    {"gather", "sent: this process's block"},
    {"gatherv", "sent: this process's block"},
    {"scatter", "received: this process's block"},
    {"scatterv", "received: this process's block"},
    {"allgather", "sent: this process's block"},
    {"allgatherv", "sent: this process's block"},
    {"alltoall", "sent: the blocks to all processes"},
    {"alltoallv", "sent: the blocks to all processes"},
    {"send_block", "sent: the data"},
    {"receive_block", "received: this process's block"},
    {"receive_own_block", "received: this process's block"},
    {"scan", "sent: the data, except on the last process"},
    {"neighbor_send", "sent: a block for each out-neighbour"},
    {"neighbor_sendv", "sent: the blocks for all out-neighbours"},
    {"neighbor_sendw", "sent: the blocks for all out-neighbours"},
    {"partitioned_send", "sent: all partitions"},
    {"get", "received: the data; none from `MPI_PROC_NULL`"},
    {"get_accumulate", "sent: the operand, unless the operation is `MPI_NO_OP`; received: the old value"},
    {"written", "sent: what was written"},
};

std::string_view rule_text(calls::Row const& row) {
  std::string_view const rule = row.rule.substr(0, row.rule.find('('));
  auto const found =
      std::find_if(std::begin(rule_texts), std::end(rule_texts), [&](RuleText const& t) { return t.rule == rule; });
  if (found == std::end(rule_texts))
    throw std::logic_error(fmt::format("{}: no description for the rule {}", row.name, rule));
  return found->text;
}

bool has(calls::Row const& row, std::string_view parameter) {
  std::vector<std::string> const names = words(row.parameters);
  return std::find(names.begin(), names.end(), parameter) != names.end();
}

std::string volume_text(calls::Row const& row) {
  using calls::Kind;
  std::string moved(row.kind == Kind::completing ? "" : rule_text(row));
  std::string const separator = moved.empty() ? "" : "; ";
  bool const arrives_later = row.kind == Kind::by_status && has(row, "request");
  if (arrives_later) return moved + separator + "received, at completion: what arrived";
  if (row.kind == Kind::persistent) return moved.empty() ? "" : "with each start, " + moved;
  if (row.kind == Kind::persistent_receive) return "with each start, received: what arrived";
  if (row.kind == Kind::start) return "what the started requests move; counted when their receives have completed";
  return moved;
}

std::string_view place_text(calls::Row const& row) {
  switch (row.on) {
    case calls::on_comm:
    case calls::on_dest:
      if (row.kind == calls::Kind::creation) return "the parent";
      return row.kind == calls::Kind::release ? "the communicator released" : "its own";
    case calls::on_window:
    case calls::on_target:
      return "that of its window";
    case calls::on_opened_file:
      return "that of its file";
    case calls::on_message:
      return "that of its message";
    case calls::on_requests:
      if (row.kind == calls::Kind::partition) return "that of its request";
      return row.rule.ends_with("any") || row.rule.ends_with("some") ? "that of the first request that it returns"
                                                                     : "those of its requests";
    case calls::on_self:
      return "`SELF`";
    case calls::on_world:
      return "`W`";
  }
  return "";
}

std::string_view family_title(calls::Family family) {
  using calls::Family;
  switch (family) {
    case Family::point_to_point:
      return "Point-to-point";
    case Family::collective:
      return "Collectives";
    case Family::neighborhood:
      return "Neighbourhood collectives";
    case Family::completion:
      return "Completion of requests";
    case Family::communicator:
      return "Communicators";
    case Family::one_sided:
      return "One-sided";
    case Family::file:
      return "Files";
    case Family::environment:
      return "Environment";
  }
  return "";
}

std::string row_text(calls::Row const& row) {
  std::string const polls = row.polls ? fmt::format(", `{}-none`", row.name) : "";
  if (row.rule == calls::not_counted)
    return fmt::format(
        "| `{}` | not counted: begins, ends or steers the profile, names a communicator, or sets its attributes | |\n",
        row.name);
  std::string const letter =
      row.letter == Letter::none ? "" : fmt::format("makes `_{}`", static_cast<char>(row.letter));
  std::string const volume = volume_text(row);
  return fmt::format("| `{}`{} | {} | {}{} |\n", row.name, polls, place_text(row), letter, volume);
}

}  // namespace

std::string calls_page() {
  std::string page = R"(# Calls

Every MPI call that is counted, the communicator it counts on, and the bytes that it counts there. This page is made from the
call table, `src/calls/call_table.hpp`.

A call with large counts (`MPI_Send_c`) and one with the prefix `MPIX_` count as the call without. All bindings count alike:
C, `mpif.h`, `use mpi`, `use mpi_f08`. A name with `-none` is that of a call that completed or found nothing. What a creation
call makes is marked with the letter that names carry ([names](design.md#names)).
)";
  for (int family = 0; family <= static_cast<int>(calls::Family::environment); ++family) {
    page += fmt::format("\n## {}\n\n| call | on communicator | bytes |\n|---|---|---|\n",
                        family_title(static_cast<calls::Family>(family)));
    for (calls::Row const& row : calls::rows)
      if (static_cast<int>(row.family) == family) page += row_text(row);
  }
  page +=
      "\n## Calls that need none\n\nThey neither communicate over a communicator, nor synchronise one, nor make or "
      "release one. Functions with the prefix `MPIX_` are those of one MPI, and not counted whatever they do.\n\n";
  for (std::string const& name : words(calls::needs_none)) page += fmt::format("`{}` ", name);
  page.back() = '\n';
  return page;
}

}  // namespace commprof::generator
