#include "profile_test.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "calls/call_table.hpp"
#include "comm_naming/rank_set.hpp"
#include "profile/schema.hpp"

namespace profile_test {

namespace calls = commprof::calls;
namespace schema = commprof::schema;

namespace {

std::uint64_t whole(Row const& row, char const* column) { return std::stoull(row.at(column)); }
double real(Row const& row, char const* column) { return std::stod(row.at(column)); }
bool exists(std::string const& path) { return access(path.c_str(), F_OK) == 0; }

}  // namespace

ProfileTest::ProfileTest(int* argc, char*** argv, int thread_level) {
  if (char const* const output = std::getenv("COMMPROF_OUTPUT")) directory_ = output;
  int provided = thread_level;
  if (thread_level < 0) MPI_Init(argc, argv);
  else MPI_Init_thread(argc, argv, thread_level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  require(provided >= thread_level, "this MPI does not provide the thread level");
}

void ProfileTest::expect(std::string const& comm, std::string const& op, Counts counts) {
  Counts& sum = expected_[{region_, comm, op}];
  sum.calls += counts.calls;
  sum.sent += counts.sent;
  sum.received += counts.received;
}

void ProfileTest::expect_communicator(std::string const& name, Row columns) {
  expected_communicators_[name] = std::move(columns);
}

void ProfileTest::ignore(std::string const& op) { ignored_.push_back(op); }

void ProfileTest::fail(std::string const& message) {
  ++failures_;
  fmt::print(stderr, "rank {}: {}\n", rank, message);
}

// Compares the files that a job killed now would leave: they are the same whether the processes live or not.
void ProfileTest::check_what_would_be_left() {
  char const* const tool = std::getenv("MPISEE_THROUGH");
  char const* const spool = std::getenv("COMMPROF_SPOOL");
  char const* const enable = std::getenv("COMMPROF_ENABLE");
  if (tool == nullptr || *tool == '\0' || (enable != nullptr && std::string_view(enable) == "0")) return;
  if (spool != nullptr && std::string_view(spool) == "off") return;
  std::string const left = directory_ + "-left";
  PMPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) recover_copy(tool, left);
  PMPI_Barrier(MPI_COMM_WORLD);
  int const failures_before = failures_;
  auto const dropped = expected_dropped_;
  expected_dropped_.erase("regions_left_open");  // the regions are still open while the program runs
  compare(left);
  expected_dropped_ = dropped;
  if (failures_ != failures_before) fail("so in what a killed job would leave, " + left);
}

void ProfileTest::recover_copy(char const* tool, std::string const& directory) {
  std::filesystem::remove_all(directory);
  std::filesystem::copy(directory_, directory, std::filesystem::copy_options::recursive);
  std::string option = "--recover", path = directory, program = tool;
  char* const arguments[] = {program.data(), option.data(), path.data(), nullptr};
  // Removes libraries preloaded into this program, and its standard output.
  std::vector<char*> environment;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with("LD_PRELOAD=")) environment.push_back(*variable);
  environment.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  int status = -1;
  if (posix_spawn(&child, tool, &actions, nullptr, arguments, environment.data()) == 0) waitpid(child, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  if (status != 0) fail(fmt::format("{} --recover {}: status {}", tool, directory, status));
}

int ProfileTest::finish() {
  check_what_would_be_left();
  MPI_Finalize();
  char const* const enable = std::getenv("COMMPROF_ENABLE");
  if (enable != nullptr && std::string_view(enable) == "0") return exit_code();
  compare(directory_);
  return exit_code();
}

void ProfileTest::check_snapshot(std::string const& directory) {
  int const failures_before = failures_;
  compare(directory);
  if (failures_ != failures_before) fail("so in the snapshot " + directory);
}

void ProfileTest::compare(std::string const& directory) {
  try {
    read_profile(directory);
    compare_counts();
    compare_communicators();
    compare_totals(directory);
    compare_regions();
    check_messages_of_operations();
    check_every_row();
  } catch (std::exception const& error) {
    fail(error.what());
  }
}

void ProfileTest::read_profile(std::string const& directory) {
  if (directory.empty()) throw std::runtime_error("COMMPROF_OUTPUT is not set");
  // The standard does not say that all processes leave MPI_Finalize after the one that writes.
  for (int tries = 0; tries < 300 && !exists(directory + "/run.json"); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  auto const read = [&](schema::File const& file) { return read_csv(fmt::format("{}/{}", directory, file.name)); };
  operations_ = read(schema::operations);
  communicators_ = read(schema::communicators);
  rank_rows_ = read(schema::ranks);
  regions_ = read(schema::regions);
  peers_ = read(schema::peers);
}

void ProfileTest::compare_counts() {
  std::map<Key, Counts> found;
  for (Row const& row : operations_) {
    if (row.at("rank") != std::to_string(rank)) continue;
    if (std::find(ignored_.begin(), ignored_.end(), row.at("op")) != ignored_.end()) continue;
    Counts& sum = found[{row.at("region"), row.at("comm"), row.at("op")}];
    sum.calls += whole(row, "calls");
    sum.sent += whole(row, "bytes_sent");
    sum.received += whole(row, "bytes_received");
  }
  for (auto const& [key, counts] : expected_) found.try_emplace(key);
  for (auto const& [key, counts] : found) {
    auto const known = expected_.find(key);
    Counts const wanted = known == expected_.end() ? Counts{} : known->second;
    auto const& [region, comm, op] = key;
    if (counts != wanted)
      fail(fmt::format("{} on {} in {}: {} calls, {} bytes sent, {} received; expected {}, {}, {}", op, comm, region,
                       counts.calls, counts.sent, counts.received, wanted.calls, wanted.sent, wanted.received));
  }
}

void ProfileTest::compare_communicators() {
  for (auto const& [name, columns] : expected_communicators_) {
    auto const is_it = [&comm = name](Row const& row) { return row.at("comm") == comm; };
    auto const found = std::count_if(communicators_.begin(), communicators_.end(), is_it);
    if (found != 1) fail(fmt::format("communicator {} has {} rows, not 1", name, found));
    if (found == 0) continue;
    Row const& row = *std::find_if(communicators_.begin(), communicators_.end(), is_it);
    for (auto const& [column, value] : columns)
      if (row.at(column) != value)
        fail(fmt::format("communicator {}: {} is '{}', expected '{}'", name, column, row.at(column), value));
  }
}

void ProfileTest::compare_totals(std::string const& directory) {
  auto const run = nlohmann::json::parse(read_text(fmt::format("{}/{}", directory, schema::run_file)));
  auto const compare = [&](char const* object, std::map<std::string, std::uint64_t> wanted) {
    for (auto const& [kind, found] : run.at(object).items()) {
      if (found != wanted[kind]) fail(fmt::format("{} {}: {}, expected {}", object, kind, found.dump(), wanted[kind]));
      wanted.erase(kind);
    }
    for (auto const& [kind, total] : wanted) fail(fmt::format("run.json knows no {} {}", object, kind));
  };
  compare("dropped", expected_dropped_);
  compare("folded", expected_folded_);
  auto const check_rows = [&](schema::File const& file, std::size_t rows) {
    if (run.at("files").at(std::string(file.name)).at("rows") != rows)
      fail(fmt::format("run.json does not say that {} has {} rows", file.name, rows));
  };
  check_rows(schema::operations, operations_.size());
  check_rows(schema::communicators, communicators_.size());
  check_rows(schema::ranks, rank_rows_.size());
  check_rows(schema::regions, regions_.size());
  check_rows(schema::peers, peers_.size());
}

void ProfileTest::compare_regions() {
  std::map<std::string, std::uint64_t> entered;
  for (Row const& row : regions_) {
    if (row.at("rank") != std::to_string(rank)) continue;
    if (!entered.try_emplace(row.at("region"), whole(row, "entered")).second) fail(row.at("region") + " has two rows");
  }
  if (entered == expected_entered_) return;
  for (auto const& [region, times] : entered) fail(fmt::format("region {} was entered {} times", region, times));
  for (auto const& [region, times] : expected_entered_)
    fail(fmt::format("expected is region {}, {} times", region, times));
}

// Null for a polling operation without success.
static calls::Row const* call_of(Row const& row) {
  auto const found = std::ranges::find(calls::rows, row.at("op"), &calls::Row::name);
  return found == std::end(calls::rows) ? nullptr : found;
}

static bool sends_messages(calls::Row const& call) {
  return call.family == calls::point_to_point && call.on == calls::on_dest && call.kind != calls::persistent;
}

// Checks that the bytes of a process's calls equal the bytes of its messages.
void ProfileTest::check_messages_of_operations() {
  char const* const peers = std::getenv("COMMPROF_PEERS");
  bool const has_peers = peers == nullptr || std::string_view(peers) != "0";
  using Place = std::tuple<std::string, std::string, std::string, std::string>;  // region, communicator, class, source
  std::map<Place, std::pair<std::uint64_t, std::uint64_t>> bytes;                // of operations and of messages
  std::vector<std::string> with_persistent_collectives;
  for (Row const& row : operations_) {
    calls::Row const* const call = call_of(row);
    if (call == nullptr) continue;
    if (call->kind == calls::persistent && is_collective(*call)) with_persistent_collectives.push_back(row.at("comm"));
    if (sends_messages(*call) || call->kind == calls::start)
      bytes[{row.at("region"), row.at("comm"), "p2p", row.at("rank")}].first += whole(row, "bytes_sent");
    if (call->on == calls::on_target)
      bytes[{row.at("region"), row.at("comm"), "rma", ""}].first +=
          whole(row, "bytes_sent") + whole(row, "bytes_received");
  }
  for (Row const& row : peers_) {
    std::string const message_class = row.at("class");
    auto const sum = whole(row, "bytes"), messages = whole(row, "messages");
    if (messages == 0) fail("a pair without messages");
    if (sum < messages * whole(row, "size_min") || sum > messages * whole(row, "size_max"))
      fail("a pair with bytes outside the bounds of their bin");
    if (row.at("op").empty() != (message_class != schema::class_internal))
      fail("an operation for messages that are not internal, or none");
    if (message_class == schema::class_internal) continue;
    bytes[{row.at("region"), row.at("comm"), message_class, message_class == schema::class_p2p ? row.at("src") : ""}]
        .second += sum;
  }
  if (!has_peers && !peers_.empty()) fail("there are pairs, which nobody wants");
  for (auto const& [place, sums] : bytes) {
    auto const& [region, comm, message_class, src] = place;
    bool const is_mixed = std::find(with_persistent_collectives.begin(), with_persistent_collectives.end(), comm) !=
                          with_persistent_collectives.end();
    if (has_peers && !is_mixed && sums.first != sums.second)
      fail(fmt::format("{} of {} on {} in {}: operations say {} bytes, pairs {}", message_class, src, comm, region,
                       sums.first, sums.second));
  }
}

void ProfileTest::check_every_row() {
  std::map<std::string, std::string> sizes;
  for (Row const& row : communicators_) {
    if (!sizes.try_emplace(row.at("comm"), row.at("size")).second) fail(row.at("comm") + " has two rows");
    if (!row.at("parent").empty() && sizes.count(row.at("parent")) == 0 &&
        std::none_of(communicators_.begin(), communicators_.end(),
                     [&](Row const& other) { return other.at("comm") == row.at("parent"); }))
      fail(row.at("comm") + " has a parent without a row");
  }
  std::map<std::string, double> time_of_rank, wall_of_rank;
  std::map<std::pair<std::string, std::string>, double> time_of_region;
  for (Row const& row : operations_) {
    std::string const what = fmt::format("{} on {} of rank {}", row.at("op"), row.at("comm"), row.at("rank"));
    auto const calls = whole(row, "calls");
    auto const moved = whole(row, "bytes_sent") + whole(row, "bytes_received");
    if (calls == 0) fail(what + ": a row without calls");
    if (sizes.count(row.at("comm")) == 0) fail(what + ": the communicator has no row");
    else if (sizes[row.at("comm")] != row.at("comm_size")) fail(what + ": the communicator's size differs");
    if (moved < calls * whole(row, "size_min") || moved > calls * whole(row, "size_max"))
      fail(what + ": bytes outside the bounds of their bin");
    double const time = real(row, "time_s"), slack = 2e-9 * static_cast<double>(calls);
    if (time < real(row, "time_min_s") * static_cast<double>(calls) - slack ||
        time > real(row, "time_max_s") * static_cast<double>(calls) + slack)
      fail(what + ": time outside the bounds of its calls");
    time_of_rank[row.at("rank")] += time;
    time_of_region[{row.at("region"), row.at("rank")}] += time;
  }
  double const rounding = 1e-9 * static_cast<double>(operations_.size() + regions_.size() + 1);
  for (Row const& row : regions_) {
    wall_of_rank[row.at("rank")] += real(row, "wall_s");
    auto const in_operations = time_of_region.extract({row.at("region"), row.at("rank")});
    double const sum = in_operations.empty() ? 0 : in_operations.mapped();
    if (std::abs(sum - real(row, "mpi_s")) > rounding)
      fail(fmt::format("mpi_s of {} on rank {} is {}, its operations take {}", row.at("region"), row.at("rank"),
                       row.at("mpi_s"), sum));
  }
  for (auto const& [key, time] : time_of_region)
    fail(fmt::format("region {} of rank {} has no row", key.first, key.second));
  if (rank_rows_.size() != static_cast<std::size_t>(ranks)) fail("ranks.csv does not have one row for each rank");
  for (std::size_t i = 0; i < rank_rows_.size(); ++i) {
    Row const& row = rank_rows_[i];
    if (row.at("rank") != std::to_string(i)) fail("ranks.csv is not in the order of ranks");
    double const sum = time_of_rank[row.at("rank")];
    if (std::abs(wall_of_rank[row.at("rank")] - real(row, "wall_s")) > rounding)
      fail(fmt::format("wall_s of rank {} is {}, its regions take {}", i, row.at("wall_s"),
                       wall_of_rank[row.at("rank")]));
    if (std::abs(sum - real(row, "mpi_s")) > rounding)
      fail(fmt::format("mpi_s of rank {} is {}, its operations take {}", i, row.at("mpi_s"), sum));
    if (real(row, "mpi_s") > real(row, "wall_s") * real(row, "threads")) fail("a rank was longer in MPI than it ran");
  }
}

std::string ranks_in_name(std::vector<int> ranks) {
  std::sort(ranks.begin(), ranks.end());
  if (ranks.size() == 1) return std::to_string(ranks[0]);
  int const step = ranks[1] - ranks[0];
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    if (ranks[i] - ranks[i - 1] == step) continue;
    commprof::RankSet set;
    for (int const rank : ranks) set.add(rank);
    return fmt::format("{}.{:x}", ranks[0], set.short_hash());
  }
  return fmt::format("{}-{}{}", ranks.front(), ranks.back(), step == 1 ? "" : ":" + std::to_string(step));
}

std::string ranks_in_name(int first, int end, int step) {
  std::vector<int> ranks;
  for (int rank = first; rank < end; rank += step) ranks.push_back(rank);
  return ranks_in_name(std::move(ranks));
}

std::uint64_t bytes(int count, MPI_Datatype datatype) {
  int size = 0;
  MPI_Type_size(datatype, &size);
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size);
}

}  // namespace profile_test
