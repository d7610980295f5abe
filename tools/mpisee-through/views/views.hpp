// The views of a profile, one source file each: what they answer, as documents. The commands ask for them
// (commands/shown_views.cpp).
//
// Words are UTF-8 without control characters, except the colours of the first page on a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "findings/first_screen.hpp"
#include "summary/algorithms.hpp"
#include "summary/arrangement.hpp"
#include "summary/regions.hpp"
#include "summary/summary.hpp"
#include "summary/time_windows.hpp"
#include "summary/traffic.hpp"
#include "summary/waits.hpp"
#include "table/document.hpp"
#include "text/terminal.hpp"

namespace mpisee_through {

// Efficiencies, the costliest communicators, findings: for people about 50 lines, as CSV a fact a line.
[[nodiscard]] Document first_page(FirstScreen const& screen, Terminal const& terminal);
void add_tables_for_programs(Document& document, FirstScreen const& screen);
// Where the time of the selected ranks went; without lines if the profile does not tell. terminal: for people, without
// classes that have next to nothing.
[[nodiscard]] table::Table table_of_account(Overview const& overview,
                                            std::optional<Terminal> const& terminal = std::nullopt);
// The ranks that cause most of the waiting, as a share of the time of all ranks; without lines if none causes much.
[[nodiscard]] table::Table table_of_waited_for(FirstScreen const& screen, Terminal const& terminal);
// The parts of the first page in a browser: the account and who is waited for, findings, efficiencies of all regions,
// communicators with most time.
[[nodiscard]] Document account_for_page(FirstScreen const& screen);
[[nodiscard]] Document findings_for_page(FirstScreen const& screen);
[[nodiscard]] Document efficiencies_for_page(FirstScreen const& screen);
[[nodiscard]] table::Table costs_for_page(FirstScreen const& screen);
// How many communicators there are of each size is in the last table, which the report has, too.
[[nodiscard]] table::Table census(Summary const& summary);
[[nodiscard]] Document communicators(Summary const& summary, Arrangement const& arrangement);
// A block for each communicator, with a line for each operation, or for each of its sizes or call sites.
[[nodiscard]] Document operations(Summary const& summary, Keys part, Arrangement const& arrangement);
[[nodiscard]] Document sites(Summary const& summary, Arrangement const& arrangement);
[[nodiscard]] Document collectives(Summary const& summary, Arrangement const& arrangement);
// has_whole_ranks: all calls of the ranks are selected.
[[nodiscard]] Document ranks(Summary const& summary, Arrangement const& arrangement, bool has_whole_ranks = true);
[[nodiscard]] Document algorithms(Summary const& summary, std::vector<AlgorithmSummary> const& algorithms,
                                  Arrangement const& arrangement);

// The lines of --waits: operations; the ranks of each operation; pairs of ranks that wait for each other's messages; or
// what makes ranks wait. `top` counts them, and waits must have been read with them.
enum class WaitLines { operations, ranks, pairs, causes };
[[nodiscard]] Document waiting(Summary const& summary, Waits const& waits, std::vector<Cause> const& causes,
                               Arrangement const& arrangement, WaitLines by);
struct TrafficLayout {
  Measure by = Measure::bytes;
  std::optional<std::size_t> top{};    // number of pairs, the busiest first
  std::optional<std::size_t> width{};  // of the terminal, if text goes to one: a wider matrix is not shown as such
};
[[nodiscard]] Document messages(Traffic const& traffic, TrafficLayout const& layout);
// Writes the matrix for TreeMatch: a row for each rank, with the sum of both directions; bytes or messages.
void write_treematch(std::ostream& out, Traffic const& traffic, Measure measure);
// times: those that people see first.
[[nodiscard]] Document regions(Overview const& overview, std::vector<RegionSummary> const& all, RegionTimes times,
                               Arrangement const& arrangement);
// The run over time. windows: null if the profile has none.
[[nodiscard]] Document over_time(Overview const& overview, TimeWindows const* windows, Selection const& selection,
                                 std::size_t width);

// A document about this run, without tables.
[[nodiscard]] Document document_of(Overview const& overview);
[[nodiscard]] Document document_of(Summary const& summary);
// The head of a document as JSON, and in words.
[[nodiscard]] Json run_of(Overview const& overview);
[[nodiscard]] std::vector<Note> head_of(Overview const& overview);
// Kinds and numbers as an object.
[[nodiscard]] Json counts(std::vector<std::pair<std::string, std::uint64_t>> const& kinds);

// The program that spawned this one, if any.
[[nodiscard]] std::vector<Note> parent_of(Run const& run);
// What the profile lacks, or has only in sum. Unfinished, Missing, Damaged, Detail, Left out, Not seen, Dropped,
// Folded.
[[nodiscard]] std::vector<Note> gaps_of(Run const& run);
// How many threads the times stand for; empty if each process has one.
[[nodiscard]] std::vector<Note> threads_of(Overview const& overview);
// What shares a row, or has no known waiting: "12 calls after one that failed on some ranks only"; kind: as in
// run.json.
[[nodiscard]] std::string describe_gap(std::string const& kind, std::uint64_t count);
// The calls that processes were in when they ended, or are in now, as a title and lines. Empty if unknown.
[[nodiscard]] std::string title_of_state(Run const& run);
[[nodiscard]] std::string lines_of_state(FirstScreen const& screen, Terminal const& terminal);
// "10.50 s", "at least 3.921 ms"
[[nodiscard]] std::string wall_in_words(Run const& run);
// Whole lines in place of a table of calls that would be empty.
[[nodiscard]] std::string_view why_no_calls(Run const& run);

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
