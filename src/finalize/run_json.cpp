#include <iterator>
#include <span>
#include <utility>

#include "base/dropped.hpp"
#include "base/process.hpp"
#include "comm_naming/comm_naming.hpp"
#include "counters/counters.hpp"
#include "finalize/gathering.hpp"
#include "flavour/flavour.hpp"
#include "mpi/mpi.hpp"
#include "profile/schema.hpp"
#include "version.hpp"

namespace commprof {

namespace {

// Begins the next member of the object of the run.
TextWriter& member(TextWriter& out, std::string_view name) { return out.raw(",\n  ").json_string(name).raw(": "); }

// Writes each value, by write(value), between the brackets.
template <class Values, class Write>
void write_all(TextWriter& out, std::string_view brackets, Values const& values, Write&& write) {
  std::string_view separator = brackets.substr(0, 1);
  for (auto const& value : values) {
    out.raw(std::exchange(separator, ", "));
    write(value);
  }
  if (std::size(values) == 0) out.raw(separator);
  out.raw(brackets.substr(1));
}

template <std::size_t n>
void write_counts(TextWriter& out, std::array<std::string_view, n> const& names,
                  std::array<std::uint64_t, n> const& counts) {
  write_all(out, "{}", names, [&, count = counts.begin()](std::string_view name) mutable {
    out.json_string(name).raw(": ").number(*count++);
  });
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

void write_thread_level(TextWriter& out) {
  int level = MPI_THREAD_MULTIPLE;
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
  write_all(out, "{}", option_table,
            [&](OptionRow const& row) { out.json_string(row.name).raw(": ").json_string(settings.in_force(row)); });
}

void write_clock(TextWriter& out, clock::Rate rate) {
  out.raw("{\"source\": \"").raw(clock::source_name()).raw("\", \"hz\": ");
  // Rounds without lround(): the flavour is not linked with libm.
  out.number(static_cast<std::uint64_t>(rate.hertz() + 0.5)).raw("}");  // NOLINT(bugprone-incorrect-roundings)
}

void write_detail(TextWriter& out, DetailedRanks const* detailed) {
  member(out, "detail").json_string(detailed == nullptr ? "ranks" : "summary");
  if (detailed == nullptr) return;
  member(out, "detailed_ranks");
  auto const ranks = std::span(detailed->ranks).first(static_cast<std::size_t>(detailed->count));
  write_all(out, "[]", ranks, [&](int rank) { out.number(std::int64_t{rank}); });
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
  out.raw(", \"to_self\": {");
  write_amount(out, totals.to_self);
  out.raw("}");
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

void write_row_counts(TextWriter& out, RunSummary const& total, bool is_of_sums) {
  out.raw("{");
  for (std::size_t i = 0; i < schema::tables.size(); ++i) {
    if (!is_in_profile(static_cast<File>(i), is_of_sums)) continue;
    out.raw(i == 0 ? "" : ", ").json_string(schema::tables[i].name).raw(": {\"rows\": ").number(total.rows[i]).raw("}");
  }
  out.raw("}");
}

}  // namespace

void write_run_json(TextWriter& out, RunFacts const& facts, RunSummary const& total, clock::Rate rate,
                    unsigned snapshot, DetailedRanks const* detailed, WindowSpan const& windows) {
  out.raw("{\n  \"schema_version\": ").number(std::int64_t{schema::version});
  member(out, "commprof").json_string(version).raw(",\n");
  write_command(out);
  out.raw("  \"mpi\": ");
  write_mpi(out);
  member(out, "ranks").number(std::int64_t{facts.ranks});
  write_time(member(out, "start"), facts.start_time);
  member(out, "parent").raw(facts.was_spawned ? "{}" : "null");
  member(out, "snapshot");
  if (snapshot == 0) out.raw("null");
  else out.number(std::uint64_t{snapshot});
  member(out, "unfinished").raw("null");
  member(out, "wall_s").seconds(total.wall_ns);
  write_clock(member(out, "clock"), rate);
  write_options(member(out, "options"));
  write_counts(member(out, "dropped"), dropped::names, total.dropped);
  write_counts(member(out, "folded"), dropped::folded_names, total.folded);
  write_counts(member(out, "waits"), no_waits_names, total.no_waits);
  LastingVector<char const*> const& not_seen = unseen_calls::names();
  write_all(member(out, "not_seen"), "[]", std::span(not_seen.begin(), not_seen.size()),
            [&](char const* name) { out.json_string(name); });
  write_detail(out, detailed);
  write_when(member(out, "when"), windows);
  write_messages(member(out, "messages"), total.messages);
  write_row_counts(member(out, "files"), total, detailed != nullptr);
  out.raw("\n}\n");
}

}  // namespace commprof
