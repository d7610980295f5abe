#include "finalize/run_json.hpp"

#include <algorithm>
#include <charconv>

#include "base/dropped.hpp"
#include "base/process.hpp"
#include "comm_naming/comm_naming.hpp"
#include "counters/counters.hpp"
#include "flavour/flavour.hpp"
#include "mpi/mpi.hpp"
#include "options/selection.hpp"
#include "profile/schema.hpp"
#include "version.hpp"

namespace commprof {

namespace {

template <std::size_t n>
void write_counts(TextWriter& out, std::array<std::string_view, n> const& names,
                  std::array<std::uint64_t, n> const& counts) {
  out.raw("{");
  for (std::size_t i = 0; i < n; ++i) out.raw(i == 0 ? "" : ", ").json_string(names[i]).raw(": ").number(counts[i]);
  out.raw("}");
}

void write_names(TextWriter& out, LastingVector<char const*> const& names) {
  out.raw("[");
  for (char const* const& name : names) out.raw(&name == names.begin() ? "" : ", ").json_string(name);
  out.raw("]");
}

// The time of day in UTC, to the millisecond.
void write_time(TextWriter& out, timespec time) {
  tm parts{};
  char text[64];
  gmtime_r(&time.tv_sec, &parts);
  std::size_t const length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S.", &parts);
  char const milliseconds[] = {static_cast<char>('0' + time.tv_nsec / 100'000'000),
                               static_cast<char>('0' + time.tv_nsec / 10'000'000 % 10),
                               static_cast<char>('0' + time.tv_nsec / 1'000'000 % 10), 'Z'};
  out.raw("\"").raw({text, length}).raw({milliseconds, sizeof milliseconds}).raw("\"");
}

// The first line of MPI_Get_library_version, with runs of white space as one blank.
void write_library_version(TextWriter& out) {
  static char text[MPI_MAX_LIBRARY_VERSION_STRING + 1];
  int length = 0;
  PMPI_Get_library_version(text, &length);
  std::size_t end = 0;
  for (char const* c = text; *c != '\0' && *c != '\n'; ++c) {
    bool const is_space = *c == ' ' || *c == '\t' || *c == '\r';
    if (is_space && (end == 0 || text[end - 1] == ' ')) continue;
    text[end++] = is_space ? ' ' : *c;
  }
  out.json_string({text, end});
}

// Null with sessions alone: each of them has a level of its own.
void write_thread_level(TextWriter& out) {
  int is_initialized = 0, level = MPI_THREAD_MULTIPLE;
  PMPI_Initialized(&is_initialized);
  if (is_initialized == 0) return static_cast<void>(out.raw("null"));
  PMPI_Query_thread(&level);
  out.json_string(level == MPI_THREAD_SINGLE       ? schema::thread_single
                  : level == MPI_THREAD_FUNNELED   ? schema::thread_funneled
                  : level == MPI_THREAD_SERIALIZED ? schema::thread_serialized
                                                   : schema::thread_multiple);
}

void write_mpi(TextWriter& out) {
  int version = 0, subversion = 0;
  PMPI_Get_version(&version, &subversion);
  out.raw("{\"library\": ");
  write_library_version(out);
  out.raw(", \"version\": \"").number(std::int64_t{version}).raw(".").number(std::int64_t{subversion}).raw("\"");
  out.raw(", \"thread_level\": ");
  write_thread_level(out);
  out.raw("}");
}

void write_command(TextWriter& out) {
  static CommandLine const command_line;
  std::size_t place = 0;
  command_line.for_each([&](std::string_view argument) {
    if (place == 0) out.raw("  \"program\": ").json_string(argument).raw(",\n  \"arguments\": [");
    else out.raw(place == 1 ? "" : ", ").json_string(argument);
    ++place;
  });
  if (place == 0) out.raw("  \"program\": ").json_string(CommandLine::program_name()).raw(",\n  \"arguments\": [");
  out.raw("],\n");
}

void write_options(TextWriter& out) {
  out.raw("{");
  bool is_first = true;
  for (OptionRow const& row : option_table) {
    out.raw(is_first ? "" : ", ").json_string(row.name).raw(": ").json_string(settings.in_force(row));
    is_first = false;
  }
  out.raw("}");
}

template <class Kind>
void write_items(TextWriter& out, std::string_view list, bool excluded) {
  bool is_first = true;
  out.raw("[");
  selection::for_each_item<Kind>(list, [&](selection::Item item) {
    if (item.excludes != excluded) return;
    out.raw(is_first ? "" : ", ").json_string(item.pattern);
    is_first = false;
  });
  out.raw("]");
}

// Writes the entries that an option excludes, or null.
template <class Kind>
void write_left_out(TextWriter& out, std::string_view option) {
  auto const* const row = std::find_if(option_table.begin(), option_table.end(),
                                       [=](OptionRow const& candidate) { return candidate.name == option; });
  std::string_view const list = settings.in_force(*row);
  if (selection::is_everything<Kind>(list)) {
    out.raw("null");
    return;
  }
  out.raw("{\"only\": ");
  write_items<Kind>(out, list, false);
  out.raw(", \"without\": ");
  write_items<Kind>(out, list, true);
  out.raw("}");
}

void write_left_out(TextWriter& out) {
  out.raw("{\"operations\": ");
  write_left_out<selection::Operations>(out, "COMMPROF_OPS");
  out.raw(", \"communicators\": ");
  write_left_out<selection::Communicators>(out, "COMMPROF_COMMS");
  out.raw("}");
}

void write_clock(TextWriter& out, clock::Rate rate) {
  out.raw("{\"source\": \"").raw(clock::source_name()).raw("\", \"hz\": ");
  // Rounds without lround(): the flavour is not linked with libm.
  out.number(static_cast<std::uint64_t>(rate.hertz() + 0.5)).raw("}");  // NOLINT(bugprone-incorrect-roundings)
}

void write_detail(TextWriter& out, DetailedRanks const* detailed) {
  out.raw(",\n  \"detail\": ").json_string(detailed == nullptr ? "ranks" : "summary");
  if (detailed == nullptr) return;
  out.raw(",\n  \"detailed_ranks\": [");
  for (int i = 0; i < detailed->count; ++i) out.raw(i == 0 ? "" : ", ").number(std::int64_t{detailed->ranks[i]});
  out.raw("]");
}

// The windows of time: their width, and whether they are on one clock. Null without them.
void write_when(TextWriter& out, WindowSpan const& windows) {
  if (windows.is_known == 0) return static_cast<void>(out.raw("null"));
  out.raw("{\"window_s\": ").seconds(windows.width_ns());
  out.raw(", \"clock\": ").json_string(windows.is_common() ? "common" : "own").raw("}");
}

void write_amount(TextWriter& out, MessageAmount const& amount) {
  out.raw("\"messages\": ").number(amount.messages).raw(", \"bytes\": ").number(amount.bytes);
}

void write_messages(TextWriter& out, MessageTotals const& totals) {
  out.raw("{");
  for (std::size_t i = 0; i < schema::message_classes.size(); ++i) {
    out.raw(i == 0 ? "" : ", ").json_string(schema::message_classes[i]).raw(": {");
    write_amount(out, totals.of_class[i]);
    out.raw("}");
  }
  if (!totals.is_busiest_known) {
    out.raw("}");
    return;
  }
  out.raw(", \"busiest\": ");
  if (totals.busiest.from < 0) {
    out.raw("null}");
    return;
  }
  MessageTotals::Pair const& pair = totals.busiest;
  out.raw("{\"src\": ").number(std::int64_t{pair.from}).raw(", \"dst\": ").number(std::int64_t{pair.to}).raw(", ");
  write_amount(out, pair.amount);
  out.raw(", \"others\": ").number(totals.others).raw("}}");
}

void write_row_counts(TextWriter& out, RunSummary const& total, FileSet files) {
  out.raw("{");
  for (std::size_t i = 0; i < schema::tables.size(); ++i) {
    if (!files.has(static_cast<File>(i))) continue;
    out.raw(i == 0 ? "" : ", ").json_string(schema::tables[i].name).raw(": {\"rows\": ").number(total.rows[i]).raw("}");
  }
  out.raw("}");
}

}  // namespace

void write_run_json(TextWriter& out, RunFacts const& facts, RunSummary const& total, clock::Rate rate,
                    unsigned snapshot, DetailedRanks const* detailed, WindowSpan const& windows) {
  out.raw("{\n  \"schema_version\": ").number(std::int64_t{schema::version});
  out.raw(",\n  \"commprof\": ").json_string(version).raw(",\n");
  write_command(out);
  out.raw("  \"mpi\": ");
  write_mpi(out);
  out.raw(",\n  \"ranks\": ").number(std::int64_t{facts.ranks}).raw(",\n  \"start\": ");
  write_time(out, facts.start_time);
  out.raw(",\n  \"parent\": ");
  out.raw(facts.was_spawned ? "{}" : "null");
  out.raw(",\n  \"snapshot\": ");
  if (snapshot == 0) out.raw("null");
  else out.number(std::uint64_t{snapshot});
  out.raw(",\n  \"unfinished\": null,\n  \"wall_s\": ").seconds(total.wall_ns).raw(",\n  \"clock\": ");
  write_clock(out, rate);
  out.raw(",\n  \"options\": ");
  write_options(out);
  out.raw(",\n  \"left_out\": ");
  write_left_out(out);
  out.raw(",\n  \"dropped\": ");
  write_counts(out, dropped::names, total.dropped);
  out.raw(",\n  \"folded\": ");
  write_counts(out, dropped::folded_names, total.folded);
  out.raw(",\n  \"waits\": ");
  write_counts(out, no_waits_names, total.no_waits);
  out.raw(",\n  \"not_seen\": ");
  write_names(out, unseen_calls::names());
  out.raw(",\n  \"defined_elsewhere\": {\"not_seen\": ");
  write_names(out, unseen_calls::defined_elsewhere());
  out.raw(", \"forwarded\": ");
  write_names(out, unseen_calls::forwarded());
  out.raw("}");
  write_detail(out, detailed);
  out.raw(",\n  \"when\": ");
  write_when(out, windows);
  out.raw(",\n  \"messages\": ");
  write_messages(out, total.messages);
  out.raw(",\n  \"files\": ");
  write_row_counts(out, total, files_of_profile(detailed != nullptr));
  out.raw("\n}\n");
}

}  // namespace commprof
