#include "recovery/look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "files/profile_error.hpp"
#include "files/rank_set.hpp"
#include "profile/schema.hpp"
#include "recovery/recovery.hpp"
#include "recovery/spool_file.hpp"
#include "waiting/situation.hpp"

namespace mpisee_through {

namespace fs = std::filesystem;
using namespace commprof;

ProcessClock::ProcessClock(SpoolFile const& file, Life its_life)
    : start(file.owner.start),
      latest(std::max(file.end, file.abort.at)),
      start_day_s(seconds_of(file.owner.start_time)),
      rate(file.rate),
      has_aborted(file.abort.at != Ticks{}),
      life(its_life) {
  for (CurrentCall const& call : file.current_calls) latest = std::max(latest, call.since);
  if (life != Life::running) return;
  clock::Reading now{{clock::monotonic_ns()}, clock::monotonic_ns()};
  if (file.owner.reads_tsc != 0) {
    now.ticks = clock::counter();
    if (now.ns > file.first.ns && now.ticks > file.first.ticks) rate = clock::Rate::between(file.first, now);
  }
  latest = std::max(latest, now.ticks);
}

double ProcessClock::day_s(Ticks stamp) const { return start_day_s + (stamp > start ? seconds(stamp - start) : 0); }

Ticks ProcessClock::at(double day_s) const {
  double const since_start_ns = std::clamp((day_s - start_day_s) * 1e9, 0.0, 1e18);
  return start + Ticks{static_cast<std::uint64_t>(since_start_ns * rate.hertz() * 1e-9)};
}

RunEnd::RunEnd(std::filesystem::path const& spool) : command_(read_command_end(spool)) {
  if (!command_) command_ = read_command_end(spool.parent_path());  // the files are on the nodes
}

void RunEnd::take(ProcessClock const& process) {
  latest_day_s_ = std::max(latest_day_s_, process.day_s(process.latest));
  some_run_ |= process.life == Life::running;
  has_aborted_ |= process.has_aborted;
}

Ticks RunEnd::of_alone(ProcessClock const& process) const {
  if (process.life == Life::running || !command_) return process.latest;
  return std::max(process.latest, process.at(command_->day_s));
}

Ticks RunEnd::of(ProcessClock const& process) const {
  Ticks const alone = of_alone(process);
  return some_run_ ? alone : std::max(alone, process.at(latest_day_s_));
}

namespace {

bool is_plain(Registry const& registry, CommIndex index) {
  Communicator const& record = registry[index];
  return !record.is_folded && !record.is_inter && !record.spans_worlds && !registry.is_private(index) &&
         record.size > 0 && record.size <= Job::most_ranks;
}

GivenRank rank_of(spool::Owner const& owner, std::int32_t given) {
  if (given == owner.proc_null) return GivenRank::nobody;
  if (given == owner.any_source) return GivenRank::any;
  if (given == owner.root) return GivenRank::own_group;
  return given >= 0 ? static_cast<GivenRank>(given) : GivenRank::not_known;
}

CodePlace place_of(SpoolFile const& file, std::uint64_t return_address) {
  if (return_address == 0) return {};
  Sites const& sites = file.sites;
  auto const at = [&](std::uint32_t module, std::uint64_t offset) {
    return CodePlace{std::string(sites.path(module)), std::string(sites.build_id(module)), offset,
                     std::string(sites.function(module))};
  };
  if (Sites::is_site(return_address)) {
    bool const is_known =
        return_address < sites.size() && sites[Sites::site_at(return_address)].module < sites.modules();
    if (!is_known) return {};
    Sites::Site const& site = sites[Sites::site_at(return_address)];
    return at(site.module, site.offset);
  }
  std::uint64_t const address = return_address - 1;
  for (std::size_t i = 0; i < file.modules.size() && i < sites.modules(); ++i) {
    Sites::Module const& module = file.modules[i];
    if (address - module.begin < module.end - module.begin)
      return at(static_cast<std::uint32_t>(i), address - module.base);
  }
  return {};
}

CommId id_of(std::vector<CommId> const& ids, std::size_t index) {
  return index < ids.size() ? ids[index] : CommId::unknown;
}

ThreadState state_of(SpoolFile const& file, std::vector<CommId> const& ids, CurrentCall const& call) {
  ThreadState state;
  state.stamp = call.since.count;
  state.place = place_of(file, call.site);
  if (call.op == 0 || call.op > static_cast<std::uint32_t>(Op::count_)) return state;
  state.op = static_cast<Op>(call.op - 1);
  OperationFacts const& facts = facts_of(*state.op);
  state.has_comm = facts.has_comm;
  if (facts.has_comm)
    if (auto const index = communicator_of(file, call.comm)) state.comm = id_of(ids, static_cast<std::size_t>(*index));
  if (facts.has_dest) state.dest = rank_of(file.owner, call.dest);
  if (facts.has_source) state.source = rank_of(file.owner, call.source);
  if (facts.has_root) state.root = rank_of(file.owner, call.root);
  return state;
}

PendingOperation pending_of(SpoolFile const& file, std::vector<CommId> const& ids, PendingRequest const& request) {
  PendingOperation one;
  one.op = request.key.op();
  one.comm = id_of(ids, static_cast<std::size_t>(request.key.comm()));
  one.is_receive = request.receives();
  if (request.is_persistent()) return one;  // perhaps it is not active
  OperationFacts const& facts = facts_of(one.op);
  if (facts.has_dest) one.dest = rank_of(file.owner, request.rank(Way::out));
  if (facts.has_source) one.source = rank_of(file.owner, request.rank(Way::in));
  return one;
}

}  // namespace

// If handles are pointers, the spool has the Fortran integer of a communicator only after its first use in Fortran;
// MPI_COMM_WORLD is 0 and MPI_COMM_SELF 1. An unknown integer means the only communicator without one.
std::optional<CommIndex> communicator_of(SpoolFile const& file, std::uint64_t given) {
  bool const is_integer = (given & CurrentCall::of_fortran) != 0;
  auto const integer = static_cast<std::int32_t>(given);
  bool const are_pointers = file.handles.front().handle > UINT32_MAX;
  for (std::size_t i = file.handles.size(); i-- > 0;) {
    auto const& [handle, known_integer] = file.handles[i];
    if (handle == 0) continue;
    bool const is_it = !is_integer    ? handle == given
                       : are_pointers ? known_integer == integer
                                      : handle == static_cast<std::uint32_t>(integer);
    if (is_it) return static_cast<CommIndex>(i);
  }
  if (!is_integer || !are_pointers) return std::nullopt;
  if (integer == 0 || integer == 1) return static_cast<CommIndex>(integer);
  auto const lacks_integer = [](SpoolFile::Handles const& one) {
    return one.handle != 0 && one.integer == Communicator::no_integer;
  };
  auto const first = std::find_if(file.handles.begin() + 2, file.handles.end(), lacks_integer);
  bool const is_only = first != file.handles.end() && std::none_of(first + 1, file.handles.end(), lacks_integer);
  return is_only ? std::optional(static_cast<CommIndex>(first - file.handles.begin())) : std::nullopt;
}

void SpoolLook::take_communicators(SpoolFile const& file, std::vector<CommId>& ids) {
  std::array<char, Registry::max_name> room{};
  Registry const& registry = file.registry;
  ids.assign(registry.size(), CommId::unknown);
  for (std::size_t i = 0; i < registry.size(); ++i) {
    auto const index = static_cast<CommIndex>(i);
    Communicator const& record = registry[index];
    bool const is_in_use = i < 2 || (i < file.handles.size() && file.handles[i].handle != 0) || record.is_folded;
    if (!is_in_use) continue;
    auto const [place, is_new] = ids_.try_emplace(std::string(registry.name(index, room.data())),
                                                  static_cast<CommId>(look.job.communicators.size()));
    ids[i] = place->second;
    if (is_new)
      look.job.communicators.push_back({.name = place->first,
                                        .size = record.size,
                                        .is_plain = is_plain(registry, index),
                                        .members = {},
                                        .world_rank = {}});
    JobCommunicator& one = look.job.communicators[static_cast<std::size_t>(ids[i])];
    if (!one.is_plain || record.size != one.size) continue;
    if (one.members.empty() && record.members.length > 0)
      if (auto const members = RankSet::parse_ascending(registry.text(record.members));
          members && members->size() == static_cast<std::uint64_t>(one.size) &&
          static_cast<std::int32_t>(members->highest()) < look.job.ranks)
        one.members = members->numbers().value_or(one.members);
    one.world_rank.resize(static_cast<std::size_t>(one.size), JobCommunicator::unknown_rank);
    if (record.rank >= 0 && record.rank < one.size)
      one.world_rank[static_cast<std::size_t>(record.rank)] = file.owner.rank;
  }
}

void SpoolLook::count(SpoolFile const& file, std::vector<CommId> const& ids, ProcessState& process) {
  for (Record const& record : file.records) {
    CommId const id = id_of(ids, static_cast<std::size_t>(record.key.comm()));
    if (id == CommId::unknown) continue;
    Look::Counts& counts = look.counts[look.job.communicators[static_cast<std::size_t>(id)].name];
    counts.calls += record.calls;
    counts.bytes += record.bytes.total();
    if (facts_of(record.key.op()).is_ordered) process.collectives[id] += record.calls;
  }
}

// True if the level of thread support is unknown.
static bool threads_may_come(std::string const& run_json) {
  Json const run = Json::parse(run_json, nullptr, false);
  Json const level = run.is_object() ? run.value(Json::json_pointer("/mpi/thread_level"), Json()) : Json();
  return level != schema::thread_single && level != schema::thread_funneled && level != schema::thread_serialized;
}

void SpoolLook::take(SpoolFile const& file, std::int32_t rank, FileToRead const& path, Steadiness steadiness) {
  if (look.job.processes.empty()) {
    run_ = file.owner.run;
    ranks_ = file.owner.ranks;
    look.job.ranks = std::min(ranks_, Job::most_ranks);
    look.job.may_have_more_threads = threads_may_come(file.run_json);
  }
  if (file.owner.run != run_ || file.owner.ranks != ranks_ || file.owner.rank >= look.job.ranks)
    throw ProfileError(path.shown, std::nullopt, "belongs to another run than the files before it: left out");
  if (file.owner.rank != rank)
    throw ProfileError(path.shown, std::nullopt, fmt::format("belongs to rank {}: left out", file.owner.rank));
  std::vector<CommId> ids;
  take_communicators(file, ids);
  ProcessState process;
  process.rank = file.owner.rank;
  // Where the job's command has ended, processes that are still there are about to end.
  process.life = end.command() ? Life::ended : life_of(file.owner, path.opened);
  process.is_moving = steadiness.is_moving;
  process.is_changing = steadiness.is_torn;
  for (CurrentCall const& call : file.current_calls)
    if (call.since.count > 0) process.threads.push_back(state_of(file, ids, call));
  for (PendingRequest const& request : file.requests)
    if (request.is_counted()) process.pending.push_back(pending_of(file, ids, request));
  count(file, ids, process);
  ProcessClock const clock(file, process.life);
  end.take(clock);
  OwnTimeWindows own;
  take_windows(own, file, end.of_alone(clock));
  windows.note(own, rank, end.of_alone(clock));
  job_windows_.take(own, file);
  clocks_.push_back(clock);
  look.job.processes.push_back(std::move(process));
}

// Computes how long ago each call began. A process on another host runs if its file has changed since the look before.
void SpoolLook::tell_times(Look const* before) {
  Job& job = look.job;
  bool is_alive = false;
  for (ProcessState& process : job.processes) {
    ProcessState const* const then = before == nullptr ? nullptr : before->job.process(process.rank);
    bool const has_changed = then != nullptr && !std::ranges::equal(process.threads, then->threads, {},
                                                                    &ThreadState::stamp, &ThreadState::stamp);
    if (has_changed || (process.life == Life::unknown && then != nullptr && then->life == Life::running))
      process.life = Life::running;
    is_alive |= process.life == Life::running;
  }
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  for (std::size_t i = 0; i < job.processes.size(); ++i) {
    ProcessState& process = job.processes[i];
    ProcessClock const& clock = clocks_[i];
    bool const runs_elsewhere = clock.life != Life::running && is_alive && process.life != Life::ended;
    process.is_at_least = !runs_elsewhere && !end.is_known(clock.life);
    Ticks const last = runs_elsewhere ? std::max(clock.latest, clock.at(seconds_of(now))) : end.of(clock);
    process.end = last.count;
    for (ThreadState& state : process.threads) state.seconds = clock.seconds(last - std::min(last, Ticks{state.stamp}));
  }
}

// The members of the world are all ranks, even if no file describes them.
void SpoolLook::complete_world() {
  auto const world = ids_.find("W");
  if (world == ids_.end()) return;
  JobCommunicator& one = look.job.communicators[static_cast<std::size_t>(world->second)];
  if (!one.is_plain || one.size != look.job.ranks) return;
  one.world_rank.resize(static_cast<std::size_t>(one.size));
  std::iota(one.world_rank.begin(), one.world_rank.end(), 0);
  one.members = one.world_rank;
}

namespace {

// Reads the current calls of a file again; nothing if they are gone.
std::vector<CurrentCall> current_calls_in(FileToRead const& path, SpoolFile const& file) {
  std::vector<CurrentCall> calls(file.current_calls.size());
  std::ifstream stream(path.opened, std::ios::binary);
  char* to = reinterpret_cast<char*>(calls.data());
  for (auto const& [offset, bytes] : file.current_calls_at) {
    stream.seekg(static_cast<std::streamoff>(offset));
    stream.read(to, static_cast<std::streamsize>(bytes));
    to += bytes;
  }
  if (!stream) calls.clear();
  return calls;
}

}  // namespace

// A thread does not store its current call atomically, so it is read twice: equal readings are consistent. Otherwise a
// third reading is compared with the second, and the counts of the file are older than its calls.
SpoolLook::Steadiness SpoolLook::steady(FileToRead const& path, SpoolFile& file) {
  bool is_moving = false;
  for (int reading = 2; reading <= 3; ++reading) {
    std::vector<CurrentCall> calls = current_calls_in(path, file);
    bool const are_alike = std::ranges::equal(
        calls, file.current_calls,
        [](CurrentCall const& a, CurrentCall const& b) { return std::memcmp(&a, &b, sizeof a) == 0; });
    if (calls.empty() || are_alike) return {.is_moving = is_moving, .is_torn = false};
    is_moving = true;
    file.current_calls = std::move(calls);
  }
  return {.is_moving = true, .is_torn = true};
}

SpoolLook::SpoolLook(fs::path const& spool, Look const* before) : end(spool) {
  look.when = std::chrono::steady_clock::now();
  for (auto const& [rank, path] : spool_files(spool)) {
    FileToRead const one{path, path};
    try {
      SpoolFile file(one, SpoolFile::Parts::all);
      Steadiness const steadiness = steady(one, file);
      take(file, rank, one, steadiness);
      messages.take(file);
      if (file.damaged > 0 && !steadiness.is_moving)
        look.problems.push_back(fmt::format("{}: {} damaged places", path.filename().string(), file.damaged));
    } catch (std::exception const& error) {
      // If the file is gone, its process has ended and removed it.
      std::error_code gone;
      if (fs::exists(path, gone)) look.problems.emplace_back(error.what());
    }
  }
  if (look.job.processes.empty())
    throw ProfileError(spool, std::nullopt, look.problems.empty() ? "no spool files" : look.problems.front());
  tell_times(before);
  complete_world();
  look.windows = job_windows_.added_up();
  std::vector<std::string> names;
  for (JobCommunicator const& one : look.job.communicators) names.push_back(one.name);
  messages.join();
  look.waits = messages.sums(names);
}

}  // namespace mpisee_through
