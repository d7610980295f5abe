// The forms that views.hpp chooses from, one source file each.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "summary/sites.hpp"
#include "table/forms.hpp"
#include "views/json_document.hpp"
#include "views/views.hpp"

namespace mpisee_through {

// Prints the head: the program, its duration, the share of MPI, and what the profile lacks.
void print_head(std::ostream& out, Overview const& overview);

// A line of a head: label and text.
using Fact = std::pair<std::string, std::string>;

// The program that spawned this one, if any.
[[nodiscard]] std::vector<Fact> parent_of(Run const& run);
void print_parent(std::ostream& out, Run const& run);

// The last lines of the head: what the profile lacks, or has only in sum. Unfinished, Missing, Damaged, Detail, Left
// out, Not seen, Dropped, Folded.
[[nodiscard]] std::vector<Fact> gaps_of(Run const& run);
// How many threads the times stand for; empty if each process has one.
[[nodiscard]] std::vector<Fact> threads_of(Overview const& overview);
void print_gaps(std::ostream& out, Run const& run);

// Calls without known waiting: "12 calls after one that failed on some ranks only"; kind: as in run.json.
[[nodiscard]] std::string describe_not_sampled(std::string const& kind, std::uint64_t count);

// The calls that processes were in when they ended, or are in now, as a title and lines. Empty if unknown.
[[nodiscard]] std::string title_of_state(Run const& run);
[[nodiscard]] std::string lines_of_state(FirstScreen const& screen, Terminal const& terminal);

// "10.50 s", "at least 3.921 ms"
[[nodiscard]] std::string wall_in_words(Run const& run);

// What the user excluded, in words; empty if nothing.
[[nodiscard]] std::string left_out_of(Run const& run);

// Whole lines in place of a table of calls that would be empty.
[[nodiscard]] std::string_view why_no_calls(Run const& run);

// The command line of the run, quoted for a shell.
[[nodiscard]] std::string command_of(Run const& run);

// A line of a head: "Ranks      4 on 2 hosts".
void print_fact(std::ostream& out, std::string_view label, std::string_view text);

// Prints the first page: efficiencies, the costliest communicators, findings.
void print_first_screen(std::ostream& out, FirstScreen const& screen, Terminal const& terminal);

// The surroundings of a table.
struct AroundTable {
  std::function<Json()> members;               // members of the JSON object, before the list
  std::function<void(std::ostream&)> above;    // text above the table
  std::string_view if_empty{};                 // text in place of a table without lines
  std::function<void(std::ostream&)> below{};  // text below the table
};
// The surroundings for views of a summary.
[[nodiscard]] AroundTable around_tables(Summary const& summary);

void show(std::ostream& out, Format format, table::Table const& table, AroundTable const& around,
          table::TextLayout const& layout = {});
void show(std::ostream& out, Format format, table::Nested const& nested, AroundTable const& around,
          table::TextLayout const& layout = {});

// One of several tables of a view, with the text around it.
struct TablePart {
  table::Table table;
  table::TextLayout layout{};
  std::function<void(std::ostream&)> above{}, below{};
  std::string_view if_empty{};
};
// Shows tables below each other, as text with blank lines between them, or as parts of a page. CSV and JSON have the
// view's table only: show() it.
void show_parts(std::ostream& out, Format format, std::vector<TablePart> const& parts);

// The views of a summary, one source file each: see commands/shown_views.cpp.
void show_operations(std::ostream& out, Format format, Summary const& summary, Arrangement const& arrangement);
void show_sites(std::ostream& out, Format format, Summary const& summary, Arrangement const& arrangement);
void show_communicators(std::ostream& out, Format format, Summary const& summary, Arrangement const& arrangement);
void show_census(std::ostream& out, Format format, Summary const& summary, Arrangement const& arrangement);
void show_tree(std::ostream& out, Format format, Summary const& summary, Arrangement const& arrangement);
void show_collectives(std::ostream& out, Format format, Summary const& summary, Arrangement const& arrangement);

// The tables of waiting for the report: {"waits", "causes", "pairs", "pending"}, each with its first `top` lines.
[[nodiscard]] Json page_tables_of_waits(Summary const& summary, Waits const& waits, std::vector<Cause> const& causes,
                                        std::optional<std::size_t> top);

// The first page as an object; CSV has its members.
[[nodiscard]] Json json_of(FirstScreen const& screen);
void write_csv(std::ostream& out, FirstScreen const& screen);
void write_json(std::ostream& out, FirstScreen const& screen);

// The rank as in peers.csv: -1 for another world.
[[nodiscard]] std::int64_t rank_number(WorldRank rank);

// An end of a pair in titles and fields: a rank as in peers.csv, -1 for another world; or a host, empty for another
// world.
[[nodiscard]] std::string field_of_end(Traffic const& traffic, WorldRank end);

// The origin and state of a communicator: Comm_split at grid.c:49, cart 2x2 periods 10, "rows", freed. Without names,
// the place is omitted.
[[nodiscard]] std::string describe_origin(CommunicatorSummary const& communicator, SiteNames const* names = nullptr);

// A call site in a line of text.
[[nodiscard]] std::string label_of_site(Summary const& summary, CallSiteIndex index);

}  // namespace mpisee_through
