#include "reader/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <limits>
#include <system_error>

#include "files/json.hpp"
#include "files/visible_text.hpp"
#include "profile/schema.hpp"
#include "waiting/situation_json.hpp"

namespace mpisee_through {
namespace {

std::size_t line_of_byte(std::string_view text, std::size_t byte) {
  std::string_view const before = text.substr(0, byte);
  return static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
}

// Finds the line of a key by searching for it in quotes before a colon, because the parser does not keep positions.
std::size_t line_of_key(std::string_view text, std::string_view key) {
  std::string const quoted = fmt::format("\"{}\"", key);
  for (std::size_t at = text.find(quoted); at != std::string_view::npos; at = text.find(quoted, at + 1)) {
    std::size_t const next = text.find_first_not_of(" \t\r\n", at + quoted.size());
    if (next != std::string_view::npos && text[next] == ':') return line_of_byte(text, at);
  }
  return 1;
}

// Finds values in run.json by key. Errors name the line of the value.
class RunFile {
 public:
  explicit RunFile(FileToRead const& file) : path_(file.shown) {
    read(file);
    try {
      root_ = Json::parse(text_);
    } catch (Json::parse_error const& error) {
      if (error.byte > text_.size()) throw ProfileError(path_, line_of_byte(text_, text_.size()), "cut off");
      std::string_view const complaint = error.what();
      std::size_t const details = complaint.find(" - ");
      throw ProfileError(
          path_, line_of_byte(text_, error.byte - 1),
          fmt::format("no valid JSON: {}", complaint.substr(details == complaint.npos ? 0 : details + 3)));
    } catch (Json::exception const&) {
      throw ProfileError(path_, 1, "no valid JSON: a number is out of range");
    }
    if (!root_.is_object()) throw ProfileError(path_, 1, "not an object");
  }

  // Opening anything else might wait for ever, and reading it might not end.
  void read(FileToRead const& file) {
    std::error_code error;
    auto const type = std::filesystem::status(file.opened, error).type();
    using Type = std::filesystem::file_type;
    if (!error && type != Type::regular && type != Type::directory)
      throw ProfileError(path_, std::nullopt, "not a regular file");
    std::ifstream stream(file.opened, std::ios::binary);
    if (!stream) throw ProfileError(path_, std::nullopt, std::generic_category().message(errno));
    text_.assign(std::istreambuf_iterator<char>(stream), {});
  }

  [[noreturn]] void fail(std::string_view key, std::string_view problem) const {
    throw ProfileError(path_, line_of_key(text_, key), fmt::format("{} {}", key, problem));
  }

  [[nodiscard]] Json const& root() const { return root_; }

  // The value of a key, or null if it is missing.
  static Json const* find(Json const& object, std::string_view key) {
    auto const found = object.find(std::string(key));
    return found == object.end() ? nullptr : &*found;
  }

  [[nodiscard]] Json const& required(std::string_view key) const {
    Json const* value = find(root_, key);
    if (value == nullptr) fail(key, "is missing");
    return *value;
  }

  // The object under a key, or null if it is missing.
  [[nodiscard]] Json const* object(std::string_view key) const {
    Json const* value = find(root_, key);
    if (value != nullptr && !value->is_object()) fail(key, "is not an object");
    return value;
  }

  [[nodiscard]] std::uint64_t count(std::string_view key, Json const& value) const {
    if (!value.is_number_unsigned()) fail(key, "is not a whole number");
    return value.get<std::uint64_t>();
  }

  [[nodiscard]] std::string text(std::string_view key, Json const& value) const {
    if (!value.is_string()) fail(key, "is not a text");
    return visible(value.get_ref<std::string const&>());
  }

  [[nodiscard]] std::string optional_text(Json const* object, std::string_view key) const {
    Json const* value = object == nullptr ? nullptr : find(*object, key);
    return value == nullptr ? std::string() : text(key, *value);
  }

  // A list of texts; empty if it is missing.
  [[nodiscard]] std::vector<std::string> texts(Json const& object, std::string_view key) const {
    std::vector<std::string> list;
    if (Json const* const value = find(object, key)) {
      if (!value->is_array()) fail(key, "is not a list");
      for (Json const& one : *value) list.push_back(text(key, one));
    }
    return list;
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> counts(std::string_view key) const {
    std::vector<std::pair<std::string, std::uint64_t>> counts;
    if (Json const* kinds = object(key)) {
      for (auto const& [kind, number] : kinds->items()) counts.emplace_back(visible(kind), count(kind, number));
    }
    return counts;
  }

  // Skips values other than texts: a newer profiler may write them.
  [[nodiscard]] std::map<std::string, std::string, std::less<>> options() const {
    std::map<std::string, std::string, std::less<>> options;
    if (Json const* values = object("options")) {
      for (auto const& [name, value] : values->items())
        if (value.is_string()) options.emplace(visible(name), visible(value.get_ref<std::string const&>()));
    }
    return options;
  }

 private:
  std::filesystem::path path_;
  std::string text_;
  Json root_;
};

void check_version(RunFile const& file) {
  constexpr std::string_view key = "schema_version";
  std::uint64_t const version = file.count(key, file.required(key));
  if (version > commprof::schema::version) {
    file.fail(key, fmt::format("is {}, newer than {}, the newest that this mpisee-through reads", version,
                               commprof::schema::version));
  }
  if (version == 0) file.fail(key, "is 0, which never existed");
}

std::uint32_t rank_count(RunFile const& file) {
  std::uint64_t const ranks = file.count("ranks", file.required("ranks"));
  if (ranks == 0 || ranks > static_cast<std::uint64_t>(Job::most_ranks))
    file.fail("ranks", fmt::format("is no number of MPI processes (1 to {})", Job::most_ranks));
  return static_cast<std::uint32_t>(ranks);
}

std::optional<Run::Unfinished::Aborted> aborted(RunFile const& file, Json const& unfinished) {
  Json const* const value = RunFile::find(unfinished, "aborted");
  if (value == nullptr || value->is_null()) return std::nullopt;
  Json const* const rank = RunFile::find(*value, "rank");
  Json const* const code = RunFile::find(*value, "code");
  if (rank == nullptr || code == nullptr || !rank->is_number_integer() || !code->is_number_integer())
    file.fail("aborted", "is not a rank and a code");
  return Run::Unfinished::Aborted{rank->get<std::int64_t>(), code->get<std::int64_t>()};
}

std::optional<Run::Unfinished> unfinished(RunFile const& file, std::uint32_t ranks) {
  constexpr std::string_view key = "unfinished";
  Json const* const value = RunFile::find(file.root(), key);
  if (value == nullptr || value->is_null()) return std::nullopt;
  Run::Unfinished result;
  auto const missing = RankSet::parse_ascending(file.optional_text(file.object(key), "ranks_missing"));
  if (!missing || (!missing->empty() && static_cast<std::uint32_t>(missing->highest()) >= ranks))
    file.fail("ranks_missing", "is not an ascending list of ranks of the run");
  result.missing = *missing;
  result.on_nodes = file.optional_text(value, "on_nodes");
  Json const* const last = RunFile::find(*value, "last_record_s");
  if (last == nullptr || !last->is_number()) file.fail("last_record_s", "is not a time in seconds");
  result.last_record_s = last->get<double>();
  result.aborted = aborted(file, *value);
  auto const number = [&](std::string_view name) {
    Json const* const found = RunFile::find(*value, name);
    return found != nullptr && found->is_number_integer() ? std::optional(found->get<std::int64_t>()) : std::nullopt;
  };
  result.interrupted_by = number("interrupted_by");
  result.exit_code = number("exit_code");
  Json const *const is_known = RunFile::find(*value, "end_known"), *const in_calls =
                                                                       RunFile::find(*value, "in_calls_s");
  result.is_end_known = is_known != nullptr && *is_known == true;
  if (in_calls != nullptr && in_calls->is_number()) result.in_calls_s = in_calls->get<double>();
  auto const unknown = RankSet::parse_ascending(file.optional_text(value, "queues_unknown"));
  if (!unknown) file.fail("queues_unknown", "is not an ascending list of ranks");
  result.queues_unknown = *unknown;
  result.problems = file.texts(*value, "problems");
  if (Json const* const state = RunFile::find(*value, "state"); state != nullptr && !state->is_null()) {
    result.state = situation_of(*state);
    if (!result.state) file.fail("state", "does not say what processes were in");
  }
  return result;
}

// Nothing if the profile has the rows of all ranks.
std::optional<RankSet> detailed_ranks(RunFile const& file, std::uint32_t ranks) {
  constexpr std::string_view key = "detailed_ranks";
  if (file.optional_text(&file.root(), "detail") != "summary") return std::nullopt;
  Json const* const list = RunFile::find(file.root(), key);
  if (list == nullptr || !list->is_array()) file.fail(key, "is not a list of ranks");
  RankSet detailed;
  for (Json const& one : *list) {
    std::uint64_t const rank = file.count(key, one);
    bool const ascends = detailed.empty() || rank > static_cast<std::uint32_t>(detailed.highest());
    if (rank >= ranks || !ascends) file.fail(key, "is not an ascending list of ranks of the run");
    detailed.append(static_cast<WorldRank>(rank));
  }
  if (detailed.size() == ranks) return std::nullopt;
  return detailed;
}

MessageTotal amount(RunFile const& file, Json const& object) {
  auto const number = [&](std::string_view key) {
    Json const* const value = RunFile::find(object, key);
    return value == nullptr ? 0 : file.count(key, *value);
  };
  return {number("messages"), number("bytes")};
}

WorldRank rank(RunFile const& file, Json const& object, std::string_view key, std::uint32_t ranks) {
  Json const* const value = RunFile::find(object, key);
  if (value != nullptr && *value == -1) return other_world;
  if (value == nullptr || file.count(key, *value) >= ranks) file.fail(key, "is no rank of the run");
  return static_cast<WorldRank>(value->get<std::uint32_t>());
}

std::optional<Run::Messages> messages(RunFile const& file, std::uint32_t ranks) {
  Json const* const all = file.object("messages");
  if (all == nullptr) return std::nullopt;
  Run::Messages messages;
  for (auto const& [one, name] : traffic_classes.rows) {
    Json const* const of_class = RunFile::find(*all, name_of(one));
    if (of_class == nullptr && one == TrafficClass::network) continue;  // as in older profiles
    if (of_class == nullptr || !of_class->is_object()) file.fail(name_of(one), "is not an object");
    auto const [number, bytes] = amount(file, *of_class);
    if (one == TrafficClass::network) {
      messages.network = {number, bytes};
      continue;
    }
    messages.total.messages += number;
    messages.total.bytes += bytes;
    if (one == TrafficClass::internal) continue;
    messages.of_program.messages += number;
    messages.of_program.bytes += bytes;
  }
  Json const* const busiest = RunFile::find(*all, "busiest");
  messages.is_busiest_known = busiest != nullptr;
  if (busiest == nullptr || busiest->is_null()) return messages;
  if (!busiest->is_object()) file.fail("busiest", "is not an object");
  Json const* const others = RunFile::find(*busiest, "others");
  if (others == nullptr) file.fail("others", "is missing");
  messages.busiest = {rank(file, *busiest, "src", ranks), rank(file, *busiest, "dst", ranks), amount(file, *busiest),
                      file.count("others", *others)};
  return messages;
}

std::optional<Run::Windows> windows(RunFile const& file) {
  constexpr std::string_view key = "when", width_key = "window_s";
  Json const* const value = RunFile::find(file.root(), key);
  if (value == nullptr || value->is_null()) return std::nullopt;
  Json const* const width = RunFile::find(*file.object(key), width_key);
  if (width == nullptr || !width->is_number() || !(width->get<double>() > 0))
    file.fail(width_key, "is not a time in seconds");
  return Run::Windows{width->get<double>(), file.optional_text(value, "clock") == "common"};
}

std::optional<Run::LeftOut> left_out(RunFile const& file, std::string_view kind) {
  Json const* const all = file.object("left_out");
  Json const* const value = all == nullptr ? nullptr : RunFile::find(*all, kind);
  if (value == nullptr || value->is_null()) return std::nullopt;
  if (!value->is_object()) file.fail(kind, "is not an object");
  return Run::LeftOut{file.texts(*value, "only"), file.texts(*value, "without")};
}

}  // namespace

namespace {

std::string name_of_signal(std::int64_t number) {
  for (auto const& [signal, name] :
       {std::pair{SIGHUP, "SIGHUP"}, {SIGINT, "SIGINT"}, {SIGQUIT, "SIGQUIT"}, {SIGTERM, "SIGTERM"}})
    if (signal == number) return name;
  return fmt::format("signal {}", number);
}

}  // namespace

std::string Run::Unfinished::how() const {
  if (aborted) return fmt::format("aborted by rank {} with code {}", aborted->rank, aborted->code);
  if (interrupted_by) return fmt::format("interrupted by {}", name_of_signal(*interrupted_by));
  if (exit_code) return fmt::format("ended without MPI_Finalize, its command with exit code {}", *exit_code);
  if (state && state->is_over()) return "ended without MPI_Finalize";
  if (is_end_known) return "the program still runs";
  return "the program still runs, or ended without MPI_Finalize";
}

bool Run::has_efficiencies() const {
  constexpr double most_in_calls = 0.01;
  return !unfinished || (unfinished->is_end_known && unfinished->missing.empty() && !unfinished->is_stuck() &&
                         unfinished->in_calls_s <= most_in_calls * wall_s * ranks);
}

bool Run::has_no_calls() const {
  auto const rows = rows_of_file.find(commprof::schema::operations.name);
  return rows != rows_of_file.end() && rows->second == 0 && !operations_left_out && !communicators_left_out;
}

Run read_run(FileToRead const& run_json) {
  RunFile const file(run_json);
  check_version(file);

  Run run;
  run.program = file.text("program", file.required("program"));
  run.arguments = file.texts(file.root(), "arguments");
  Json const* mpi = file.object("mpi");
  if (Json const* const parent = RunFile::find(file.root(), "parent"); parent != nullptr && !parent->is_null()) {
    run.parent_program = file.optional_text(file.object("parent"), "program");
    run.parent_comm = file.optional_text(file.object("parent"), "comm");
  }
  run.mpi_library = file.optional_text(mpi, "library");
  run.mpi_version = file.optional_text(mpi, "version");
  run.ranks = rank_count(file);
  run.start = file.optional_text(&file.root(), "start");

  run.profiler_version = file.optional_text(&file.root(), "commprof");
  run.options = file.options();

  Json const& wall = file.required("wall_s");
  if (!wall.is_number() || wall.get<double>() < 0) file.fail("wall_s", "is not a time in seconds");
  run.wall_s = wall.get<double>();

  run.detailed_ranks = detailed_ranks(file, run.ranks);
  run.unfinished = unfinished(file, run.ranks);
  run.messages = messages(file, run.ranks);
  run.windows = windows(file);
  run.operations_left_out = left_out(file, "operations");
  run.communicators_left_out = left_out(file, "communicators");
  run.dropped = file.counts("dropped");
  run.folded = file.counts("folded");
  run.not_sampled = file.counts("waits");
  run.not_seen = file.texts(file.root(), "not_seen");
  if (Json const* files = file.object("files")) {
    for (auto const& [name, facts] : files->items()) {
      if (!facts.is_object()) file.fail(name, "is not an object");
      if (Json const* rows = RunFile::find(facts, "rows")) run.rows_of_file.emplace(name, file.count("rows", *rows));
    }
  }
  return run;
}

}  // namespace mpisee_through
