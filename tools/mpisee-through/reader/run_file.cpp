#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <concepts>
#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "files/visible_text.hpp"
#include "profile/schema.hpp"
#include "reader/profile_reader.hpp"
#include "reader/rows.hpp"
#include "waiting/situation.hpp"

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

// Finds values in run.json by key. Errors name the line of the key.
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

  [[noreturn]] void fail(std::string_view key, std::string_view problem) const {
    throw ProfileError(path_, line_of_key(text_, key), fmt::format("{} {}", key, problem));
  }

  [[nodiscard]] Json const& root() const { return root_; }

  // The value of a key: a text, a number, a time in seconds, or a list. Nothing if it is missing or null.
  template <class Value>
  [[nodiscard]] std::optional<Value> find(Json const& object, std::string_view key) const {
    auto const found = object.find(std::string(key));
    return found == object.end() || found->is_null() ? std::nullopt : std::optional(value_of<Value>(key, *found));
  }
  template <class Value>
  [[nodiscard]] Value required(Json const& object, std::string_view key) const {
    auto value = find<Value>(object, key);
    if (!value) fail(key, "is missing");
    return *std::move(value);
  }
  // Zero or empty if it is missing.
  template <class Value>
  [[nodiscard]] Value optional(Json const& object, std::string_view key) const {
    return find<Value>(object, key).value_or(Value());
  }

  // The object under a key; empty if it is missing.
  [[nodiscard]] Json const& object(Json const& parent, std::string_view key) const {
    static Json const none = Json::object();
    auto const found = parent.find(std::string(key));
    if (found == parent.end() || found->is_null()) return none;
    if (!found->is_object()) fail(key, "is not an object");
    return *found;
  }

  [[nodiscard]] RankSet ranks(Json const& object, std::string_view key, std::uint32_t of_run) const {
    auto const ranks = RankSet::parse_ascending(optional<std::string>(object, key));
    if (!ranks || (!ranks->empty() && static_cast<std::uint32_t>(ranks->highest()) >= of_run))
      fail(key, "is not an ascending list of ranks of the run");
    return *ranks;
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> counts(std::string_view key) const {
    std::vector<std::pair<std::string, std::uint64_t>> counts;
    for (auto const& [kind, number] : object(root_, key).items())
      counts.emplace_back(visible(kind), value_of<std::uint64_t>(kind, number));
    return counts;
  }

 private:
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

  template <class Value>
  [[nodiscard]] Value value_of(std::string_view key, Json const& value) const {
    if constexpr (std::same_as<Value, std::string>) {
      if (!value.is_string()) fail(key, "is not a text");
      return visible(value.get_ref<std::string const&>());
    } else if constexpr (std::same_as<Value, bool>) {
      return value == true;
    } else if constexpr (std::same_as<Value, double>) {
      if (!value.is_number() || value.get<double>() < 0) fail(key, "is not a time in seconds");
      return value.get<double>();
    } else if constexpr (std::integral<Value>) {
      if (std::unsigned_integral<Value> ? !value.is_number_unsigned() : !value.is_number_integer())
        fail(key, "is not a whole number");
      return value.get<Value>();
    } else {
      if (!value.is_array()) fail(key, "is not a list");
      Value list;
      for (Json const& one : value) list.push_back(value_of<typename Value::value_type>(key, one));
      return list;
    }
  }

  std::filesystem::path path_;
  std::string text_;
  Json root_;
};

void check_version(RunFile const& file) {
  constexpr std::string_view key = "schema_version";
  auto const version = file.required<std::uint64_t>(file.root(), key);
  if (version > commprof::schema::version) {
    file.fail(key, fmt::format("is {}, newer than {}, the newest that this mpisee-through reads", version,
                               commprof::schema::version));
  }
  if (version == 0) file.fail(key, "is 0, which never existed");
}

std::uint32_t rank_count(RunFile const& file) {
  auto const ranks = file.required<std::uint64_t>(file.root(), "ranks");
  if (ranks == 0 || ranks > static_cast<std::uint64_t>(Job::most_ranks))
    file.fail("ranks", fmt::format("is no number of MPI processes (1 to {})", Job::most_ranks));
  return static_cast<std::uint32_t>(ranks);
}

std::optional<Run::Unfinished> unfinished(RunFile const& file, std::uint32_t ranks) {
  Json const& from = file.object(file.root(), "unfinished");
  if (from.empty()) return std::nullopt;
  Run::Unfinished result;
  result.as_written = std::make_shared<Json const>(from);
  result.missing = file.ranks(from, "ranks_missing", ranks);
  result.on_nodes = file.optional<std::string>(from, "on_nodes");
  result.last_record_s = file.required<double>(from, "last_record_s");
  if (Json const& aborted = file.object(from, "aborted"); !aborted.empty())
    result.aborted = {file.required<std::int64_t>(aborted, "rank"), file.required<std::int64_t>(aborted, "code")};
  result.interrupted_by = file.find<std::int64_t>(from, "interrupted_by");
  result.exit_code = file.find<std::int64_t>(from, "exit_code");
  result.is_end_known = file.optional<bool>(from, "end_known");
  result.in_calls_s = file.optional<double>(from, "in_calls_s");
  result.queues_unknown = file.ranks(from, "queues_unknown", ranks);
  result.problems = file.optional<std::vector<std::string>>(from, "problems");
  if (Json const& state = file.object(from, "state"); !state.empty()) {
    result.state = situation_of(state);
    if (!result.state) file.fail("state", "does not say what processes were in");
  }
  return result;
}

// Nothing if the profile has the rows of all ranks.
std::optional<RankSet> detailed_ranks(RunFile const& file, std::uint32_t ranks) {
  constexpr std::string_view key = "detailed_ranks";
  if (file.optional<std::string>(file.root(), "detail") != "summary") return std::nullopt;
  auto const list = file.required<std::vector<std::uint64_t>>(file.root(), key);
  bool const ascends = std::ranges::adjacent_find(list, std::greater_equal{}) == list.end();
  if (!ascends || (!list.empty() && list.back() >= ranks))
    file.fail(key, "is not an ascending list of ranks of the run");
  if (list.size() == ranks) return std::nullopt;
  RankSet detailed;
  for (std::uint64_t const rank : list) detailed.append(static_cast<WorldRank>(rank));
  return detailed;
}

MessageTotal amount(RunFile const& file, Json const& object) {
  return {file.optional<std::uint64_t>(object, "messages"), file.optional<std::uint64_t>(object, "bytes")};
}

WorldRank rank(RunFile const& file, Json const& object, std::string_view key, std::uint32_t ranks) {
  auto const rank = file.required<std::int64_t>(object, key);
  if (rank == -1) return other_world;
  if (rank < 0 || rank >= ranks) file.fail(key, "is no rank of the run");
  return static_cast<WorldRank>(rank);
}

std::optional<Run::Messages> messages(RunFile const& file, std::uint32_t ranks) {
  Json const& all = file.object(file.root(), "messages");
  if (all.empty()) return std::nullopt;
  Run::Messages messages;
  auto const add = [](MessageTotal& total, MessageTotal const& more) {
    total.messages += more.messages;
    total.bytes += more.bytes;
  };
  for (auto const& [one, name] : traffic_classes.rows) {
    MessageTotal const of_class = amount(file, file.object(all, name));
    add(one == TrafficClass::network ? messages.network : messages.total, of_class);
    if (one == TrafficClass::p2p || one == TrafficClass::rma) add(messages.of_program, of_class);
  }
  if (all.contains("to_self")) messages.to_self = amount(file, file.object(all, "to_self"));
  messages.is_busiest_known = all.contains("busiest");
  Json const& busiest = file.object(all, "busiest");
  if (!busiest.empty())
    messages.busiest = {rank(file, busiest, "src", ranks), rank(file, busiest, "dst", ranks), amount(file, busiest),
                        file.required<std::uint64_t>(busiest, "others")};
  return messages;
}

std::optional<Run::Windows> windows(RunFile const& file) {
  Json const& from = file.object(file.root(), "when");
  if (from.empty()) return std::nullopt;
  auto const width_s = file.required<double>(from, "window_s");
  if (width_s == 0) file.fail("window_s", "is not a time in seconds");
  return Run::Windows{width_s, file.optional<std::string>(from, "clock") == "common"};
}

std::optional<Run::LeftOut> left_out(RunFile const& file, std::string_view kind) {
  using Texts = std::vector<std::string>;
  Json const& from = file.object(file.object(file.root(), "left_out"), kind);
  if (from.empty()) return std::nullopt;
  return Run::LeftOut{file.optional<Texts>(from, "only"), file.optional<Texts>(from, "without")};
}

std::string name_of_signal(std::int64_t number) {
  for (auto const& [signal, name] :
       {std::pair{SIGHUP, "SIGHUP"}, {SIGINT, "SIGINT"}, {SIGQUIT, "SIGQUIT"}, {SIGTERM, "SIGTERM"}})
    if (signal == number) return name;
  return fmt::format("signal {}", number);
}

}  // namespace

std::string Run::short_library() const {
  std::string text = mpi_library.substr(0, mpi_library.find_first_of(",\n\\"));
  constexpr std::string_view superfluous = " Version:";
  if (std::size_t const place = text.find(superfluous); place != text.npos) text.erase(place, superfluous.size());
  return text;
}

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

std::string command_of(Run const& run) {
  std::string line = run.program;
  for (std::string const& argument : run.arguments) line += " " + shell_word(argument);
  return line;
}

Run read_run(FileToRead const& run_json) {
  RunFile const file(run_json);
  check_version(file);
  Json const& root = file.root();
  Json const &mpi = file.object(root, "mpi"), &parent = file.object(root, "parent");
  Run run;
  run.program = file.required<std::string>(root, "program");
  run.arguments = file.optional<std::vector<std::string>>(root, "arguments");
  run.parent_program = file.optional<std::string>(parent, "program");
  run.parent_comm = file.optional<std::string>(parent, "comm");
  run.mpi_library = file.optional<std::string>(mpi, "library");
  run.mpi_version = file.optional<std::string>(mpi, "version");
  run.ranks = rank_count(file);
  run.start = file.optional<std::string>(root, "start");
  run.profiler_version = file.optional<std::string>(root, "commprof");
  // A newer profiler may write values other than texts.
  for (auto const& [name, value] : file.object(root, "options").items())
    if (value.is_string()) run.options.emplace(visible(name), visible(value.get_ref<std::string const&>()));
  run.wall_s = file.required<double>(root, "wall_s");
  run.detailed_ranks = detailed_ranks(file, run.ranks);
  run.unfinished = unfinished(file, run.ranks);
  run.messages = messages(file, run.ranks);
  run.windows = windows(file);
  run.operations_left_out = left_out(file, "operations");
  run.communicators_left_out = left_out(file, "communicators");
  run.dropped = file.counts("dropped");
  run.folded = file.counts("folded");
  run.not_sampled = file.counts("waits");
  run.not_seen = file.optional<std::vector<std::string>>(root, "not_seen");
  Json const& files = file.object(root, "files");
  for (auto const& [name, facts] : files.items())
    if (auto const rows = file.find<std::uint64_t>(file.object(files, name), "rows"))
      run.rows_of_file.emplace(name, *rows);
  return run;
}

}  // namespace mpisee_through
