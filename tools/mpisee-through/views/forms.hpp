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

// Which program ran, how long, with how much of MPI, and what the profile leaves out.
void print_head(std::ostream& out, Overview const& overview);

// A line of a head: label and text.
using Fact = std::pair<std::string, std::string>;

// Which program spawned this one, if one did.
[[nodiscard]] std::vector<Fact> parent_of(Run const& run);
void print_parent(std::ostream& out, Run const& run);

// Its last lines: what the profile does not hold, or only in sum. Unfinished, Missing, Damaged, Detail, Left out, Not
// seen, Dropped, Folded.
[[nodiscard]] std::vector<Fact> gaps_of(Run const& run);
void print_gaps(std::ostream& out, Run const& run);

// What processes were in when they ended, or are in now: a title, and lines. Empty if it is not known.
[[nodiscard]] std::string title_of_state(Run const& run);
[[nodiscard]] std::string lines_of_state(Run const& run, Terminal const& terminal);

// "54.0 % = serialisation (at most 90.0 %) x transfer (at least 60.0 %)", with the given sign. Waiting that is not
// known makes bounds of both. Empty if none is known.
[[nodiscard]] std::string parts_of_communication(Efficiency const& efficiency, std::string_view times);

// What the user wanted nothing of, in words; empty if there is nothing.
[[nodiscard]] std::string left_out_of(Run const& run);

// What a view says instead of a table of calls that would be empty: whole lines.
[[nodiscard]] std::string_view why_no_calls(Run const& run);

// What was run, as a shell would take it.
[[nodiscard]] std::string command_of(Run const& run);

// A line of a head: "Ranks      4 on 2 hosts".
void print_fact(std::ostream& out, std::string_view label, std::string_view text);

// On one page: efficiencies, the communicators that cost most, findings.
void print_first_screen(std::ostream& out, FirstScreen const& screen, Terminal const& terminal);

// What stands around a table.
struct AroundTable {
  std::function<Json()> members;               // of JSON, before the list
  std::function<void(std::ostream&)> above;    // text
  std::string_view if_empty{};                 // text in place of a table without lines
  std::function<void(std::ostream&)> below{};  // text
};
// The head of a summary.
[[nodiscard]] AroundTable around_tables(Summary const& summary);

void show(std::ostream& out, Format format, table::Table const& table, AroundTable const& around,
          table::TextLayout const& layout = {});
void show(std::ostream& out, Format format, table::Nested const& nested, AroundTable const& around,
          table::TextLayout const& layout = {});

void show_operations(std::ostream& out, Format format, Summary const& summary, Arrangement const& arrangement);
void show_sites(std::ostream& out, Format format, Summary const& summary, Arrangement const& arrangement);
void show_communicators(std::ostream& out, Format format, Summary const& summary, Arrangement const& arrangement);
void show_census(std::ostream& out, Format format, Summary const& summary);
void show_tree(std::ostream& out, Format format, Summary const& summary, Arrangement const& arrangement);
void show_collectives(std::ostream& out, Format format, Summary const& summary, Arrangement const& arrangement);

void write_csv(std::ostream& out, FirstScreen const& screen);
void write_json(std::ostream& out, FirstScreen const& screen);

// As in peers.csv: -1 for another world.
[[nodiscard]] std::int64_t rank_number(WorldRank rank);

// An end of a pair as a title or a field has it: a rank, as in peers.csv -1 for another world; or a host, empty for
// another world.
[[nodiscard]] std::string field_of_end(Traffic const& traffic, WorldRank end);

// What made a communicator, and what it is now: Comm_split at grid.c:49, cart 2x2 periods 10, "rows", freed. Without
// names, the place is left out.
[[nodiscard]] std::string describe_origin(CommunicatorSummary const& communicator, SiteNames const* names = nullptr);

// A call site as a line of text has it.
[[nodiscard]] std::string label_of_site(Summary const& summary, CallSiteIndex index);
// The communicators that it calls on: "W and 3 more".
[[nodiscard]] std::string communicators_of(Summary const& summary, SiteLine const& line);

// Ranges of ranks that fit into a line: the first ones and the last.
[[nodiscard]] std::string shorten_members(std::string_view members);

}  // namespace mpisee_through
