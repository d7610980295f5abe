#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calls/call_table.hpp"
#include "calls/families.hpp"
#include "calls/other_calls.hpp"
#include "calls/rules.hpp"
#include "generator.hpp"

namespace commprof::generator {

namespace {

// A rule that rules.hpp lacks does not compile.
static_assert(std::ranges::all_of(calls::rows, [](calls::Row const& row) {
  return row.kind == calls::Kind::completing || row.rule == calls::not_counted || !rule_of(row).name.empty();
}));

bool has(calls::Row const& row, std::string_view parameter) {
  std::vector<std::string> const names = words(row.parameters);
  return std::find(names.begin(), names.end(), parameter) != names.end();
}

std::string volume_text(calls::Row const& row) {
  using calls::Kind;
  std::string moved(row.kind == Kind::completing ? "" : rule_of(row).text);
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

std::string facts_text(calls::Row const& row) {
  if (row.rule == calls::not_counted)
    return "not counted: begins, ends or steers the profile, names a communicator, or sets its attributes |";
  std::string const letter =
      row.letter == Letter::none ? "" : fmt::format("makes `_{}`", static_cast<char>(row.letter));
  return fmt::format("{} | {}{}", place_text(row), letter, volume_text(row));
}

// Calls of which the same is to be said have one line.
std::string rows_text(calls::FamilyFacts const& family) {
  std::vector<std::pair<std::string, std::string>> lines;  // facts and names
  for (calls::Row const& row : calls::rows) {
    if (&calls::families[row.family] != &family) continue;
    std::string const facts = facts_text(row), polls = row.polls ? fmt::format(", `{}-none`", row.name) : "";
    auto line = std::ranges::find(lines, facts, &std::pair<std::string, std::string>::first);
    if (line == lines.end()) line = lines.insert(line, {facts, ""});
    line->second += fmt::format("{}`{}`{}", line->second.empty() ? "" : ", ", row.name, polls);
  }
  std::string text;
  for (auto const& [facts, names] : lines) text += fmt::format("| {} | {} |\n", names, facts);
  return text;
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
  for (calls::FamilyFacts const& family : calls::families) {
    page += fmt::format("\n## {}\n\n| call | on communicator | bytes |\n|---|---|---|\n", family.title);
    page += rows_text(family);
  }
  page +=
      "\n## Calls that need none\n\nThey neither communicate over a communicator, nor synchronise one, nor make or "
      "release one. Functions with the prefix `MPIX_` are those of one MPI, and not counted whatever they do.\n\n";
  for (std::string const& name : words(calls::needs_none)) page += fmt::format("`{}` ", name);
  page.back() = '\n';
  return page;
}

}  // namespace commprof::generator
