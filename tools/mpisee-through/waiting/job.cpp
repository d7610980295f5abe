#include "waiting/job.hpp"

#include <algorithm>

#include "calls/by_operation.hpp"

namespace mpisee_through {

namespace {

using namespace commprof;
using calls::Row;

// Whether all members of the communicator make the call: MPI_Comm_create_group, whose group has a tag, is made by the
// members of the group.
bool is_made_by_all(Row const& row) {
  if (row.on != calls::On::on_comm) return false;
  if (row.kind == calls::Kind::creation) return !(has_parameter(row, "group") && has_parameter(row, "tag"));
  return is_collective(row) || row.kind == calls::Kind::window_creation || row.kind == calls::Kind::file_opening;
}

// Whether the call can only end together with processes outside its communicator.
bool needs_outsiders(Row const& row) {
  return row.spawns || has_parameter(row, "port_name") || has_parameter(row, "peer_comm");
}

Needs needs_of_collective(Row const& row) {
  if (has_parameter(row, "request") || row.kind == calls::Kind::persistent) return Needs::nobody;
  if (row.waits_for == calls::WaitsFor::root) return Needs::data_of_root;
  if (row.waits_for == calls::WaitsFor::all_root) return Needs::data_of_all;
  if (row.waits_for == calls::WaitsFor::all) return Needs::everybody;
  return is_collective(row) || needs_outsiders(row) ? Needs::some : Needs::everybody;
}

Needs needs_of(Row const& row) {
  if (row.ends && !has_parameter(row, "session")) return Needs::end_of_all;
  if (row.polls) return Needs::nobody;
  if (is_made_by_all(row)) return needs_of_collective(row);
  if (waits_for_requests(row)) return Needs::requests;
  return waits_for_messages(row) || waits_for_receivers(row) ? Needs::messages : Needs::nobody;
}

OperationFacts read_facts(Row const& row) {
  OperationFacts facts;
  facts.needs = needs_of(row);
  facts.has_comm = has_parameter(row, "comm") && row.kind != calls::Kind::release;
  facts.has_dest = has_parameter(row, "dest") || has_parameter(row, "target_rank");
  facts.has_source = has_parameter(row, "source");
  facts.has_root = has_parameter(row, "root");
  facts.sends = sends(row);
  facts.receives = row.family == calls::Family::point_to_point && facts.has_source &&
                   (has_parameter(row, "buf") || has_parameter(row, "recvbuf"));
  facts.is_ordered = is_made_by_all(row);
  return facts;
}

bool is_at_end(ThreadState const& state) { return state.op && facts_of(*state.op).needs == Needs::end_of_all; }

// The message that the call sends, receives, or both.
PendingOperation message_of(ThreadState const& state) {
  return {*state.op, state.comm, state.dest, state.source, facts_of(*state.op).receives};
}

}  // namespace

OperationFacts const& facts_of(Op op) {
  static auto const all = calls::by_operation(read_facts);
  static OperationFacts const none;
  auto const index = static_cast<std::size_t>(op);
  return index < all.size() ? all[index] : none;
}

std::string_view name_of(Op op) { return op_name(op); }

ThreadState const* ProcessState::main_thread() const {
  ThreadState const* main = nullptr;
  for (ThreadState const& one : threads) {
    bool const is_better = main == nullptr || (one.op && !main->op) ||
                           (one.op.has_value() == main->op.has_value() &&
                            (one.op ? one.seconds > main->seconds : one.seconds < main->seconds));
    if (is_better) main = &one;
  }
  return main;
}

ProcessState const* Job::process(std::int32_t rank) const {
  auto const found = std::ranges::lower_bound(processes, rank, {}, &ProcessState::rank);
  return found == processes.end() || found->rank != rank ? nullptr : &*found;
}

std::int32_t Job::world_rank_of(CommId id, GivenRank rank) const {
  JobCommunicator const* const known = communicator(id);
  auto const index = static_cast<std::size_t>(rank);
  bool const is_known = known != nullptr && known->is_plain && rank >= GivenRank{} && index < known->world_rank.size();
  return is_known ? known->world_rank[index] : JobCommunicator::unknown_rank;
}

std::span<std::int32_t const> Job::members_of(CommId id) const {
  JobCommunicator const* const known = communicator(id);
  return known != nullptr && known->is_plain ? std::span(known->members) : std::span<std::int32_t const>();
}

std::string Job::name_of(CommId id) const {
  JobCommunicator const* const known = communicator(id);
  return known == nullptr ? "?" : known->name;
}

using commprof::Op;

JobWaits::JobWaits(Job const& job) : job_(job) {
  some_run_ = std::ranges::any_of(job.processes, [](ProcessState const& one) { return one.life == Life::running; });
  for (ProcessState const& process : job.processes) {
    for (ThreadState const& state : process.threads)
      if (state.op) note_message(process.rank, message_of(state));
    for (PendingOperation const& one : process.pending) note_message(process.rank, one);
  }
  for (ProcessState const& process : job.processes) take(process);
  find_stuck();
}

JobWaits::NodeId JobWaits::add(Mode mode, Nodes waits_for, std::int32_t rank) {
  nodes_.push_back({mode, std::move(waits_for), rank});
  return static_cast<NodeId>(nodes_.size() - 1);
}

JobWaits::NodeId JobWaits::process(std::int32_t rank) {
  auto const [place, is_new] = processes_.try_emplace(rank);
  if (is_new) place->second = add(Mode::free, {}, rank);
  return place->second;
}

JobWaits::Node const* JobWaits::main_call(std::int32_t rank) const {
  auto const found = main_calls_.find(rank);
  return found == main_calls_.end() ? nullptr : &at(found->second);
}

void JobWaits::note_message(std::int32_t rank, PendingOperation const& message) {
  OperationFacts const& facts = facts_of(message.op);
  if (std::int32_t const to = job_.world_rank_of(message.comm, message.dest); facts.sends && to >= 0) {
    sends_.insert({message.comm, rank, to});
    sends_.insert({message.comm, anybody, to});
  }
  if (!message.is_receive && !facts.receives) return;
  std::int32_t const from = job_.world_rank_of(message.comm, message.source);
  if (from >= 0 || message.source == GivenRank::any || message.source == GivenRank::not_known)
    receives_.insert({message.comm, std::max(from, anybody), rank});
}

// A process that has a thread outside MPI may still do anything.
void JobWaits::take(ProcessState const& process) {
  NodeId const id = this->process(process.rank);
  bool is_free = process.threads.empty() || process.is_moving, is_finished = false;
  Nodes calls;
  ThreadState const* const main = process.main_thread();
  for (ThreadState const& state : process.threads) {
    is_free |= !state.op;
    if (!state.op) continue;
    calls.push_back(add_call(process, state));
    if (&state == main) main_calls_.emplace(process.rank, calls.back());
    is_finished |= is_at_end(state);
  }
  if (process.life == Life::ended && some_run_) {
    is_finished = true;
    calls.clear();
  }
  at(id).mode = is_finished ? Mode::finished : is_free ? Mode::free : Mode::any_of;
  at(id).waits_for = std::move(calls);
}

JobWaits::NodeId JobWaits::add_call(ProcessState const& process, ThreadState const& state) {
  Needs const needs = facts_of(*state.op).needs;
  if (needs == Needs::messages) return for_message(process.rank, state);
  if (needs == Needs::requests) return for_requests(process);
  if (needs == Needs::end_of_all) return add(Mode::all_of, {those_not_at_the_end()});
  if (needs == Needs::nobody) return add(Mode::free, {});
  return for_members(process, state, needs);
}

// The processes at the other ends; without MPI_PROC_NULL and unknown ones.
JobWaits::Targets JobWaits::targets_of(std::int32_t rank, PendingOperation const& message) {
  OperationFacts const& facts = facts_of(message.op);
  Targets targets;
  auto const add = [&](NodeId node, bool is_met) {
    targets.all.push_back(node);
    if (!is_met) targets.unmet.push_back(node);
  };
  std::int32_t const to = job_.world_rank_of(message.comm, message.dest);
  if (facts.sends && to >= 0)
    add(process(to), receives_.contains({message.comm, rank, to}) || receives_.contains({message.comm, anybody, to}));
  if (!facts.has_source && !message.is_receive) return targets;
  std::int32_t const from = job_.world_rank_of(message.comm, message.source);
  if (from >= 0) add(process(from), sends_.contains({message.comm, from, rank}));
  else if (message.source == GivenRank::any)
    add(any_member(message.comm, rank), sends_.contains({message.comm, anybody, rank}));
  return targets;
}

// The call waits until all of its messages have been transferred.
JobWaits::NodeId JobWaits::for_message(std::int32_t rank, ThreadState const& state) {
  auto [unmet, all] = targets_of(rank, message_of(state));
  return unmet.empty() ? add(Mode::free, std::move(all)) : add(Mode::all_of, std::move(unmet));
}

// It is unknown which of the process's requests the call waits for. So it surely waits only if none of the process's
// requests can complete.
JobWaits::NodeId JobWaits::for_requests(ProcessState const& process) {
  Nodes all;
  bool is_free = process.pending.empty();
  for (PendingOperation const& one : process.pending) {
    auto [unmet, whom] = targets_of(process.rank, one);
    if (unmet.empty()) is_free = true;
    else if (unmet.size() == 1) whom = std::move(unmet);
    else whom = {add(Mode::all_of, std::move(unmet))};  // completes with both of its messages
    for (NodeId const node : whom)
      if (std::ranges::find(all, node) == all.end()) all.push_back(node);
  }
  return add(is_free ? Mode::free : Mode::any_of, std::move(all));
}

JobWaits::NodeId JobWaits::for_members(ProcessState const& process, ThreadState const& state, Needs needs) {
  std::uint64_t const begun = process.collectives_on(state.comm);
  NodeId const missing = those_missing(state.comm, begun, *state.op);
  std::int32_t const root = job_.world_rank_of(state.comm, state.root);
  bool const is_root = root == process.rank;
  if (needs == Needs::everybody || (needs == Needs::data_of_all && is_root)) return add(Mode::all_of, {missing});
  if (needs == Needs::data_of_root && root >= 0 && !is_root && is_missing(root, state.comm, begun, *state.op))
    return add(Mode::all_of, {this->process(root)});
  return add(Mode::free, {missing});
}

// Whether a member has not come to a collective call that others are in. All members make the same collective calls in
// the same order, so their counts can be compared.
bool JobWaits::is_missing(std::int32_t rank, CommId comm, std::uint64_t begun, Op op) const {
  ProcessState const* const process = job_.process(rank);
  if (process == nullptr) return true;
  std::uint64_t const count = process->collectives_on(comm);
  for (ThreadState const& state : process->threads) {
    if (!state.op || state.comm != comm || !facts_of(*state.op).is_ordered) continue;
    // Counts may differ if some calls were not counted.
    if (*state.op == op && (count == begun || facts_of(op).needs == Needs::everybody)) return false;
    break;
  }
  return count <= begun;
}

JobWaits::NodeId JobWaits::those_missing(CommId comm, std::uint64_t begun, Op op) {
  auto const [known, is_new] = missing_.try_emplace({comm, begun, op});
  if (!is_new) return known->second;
  Nodes missing;
  for (std::int32_t const member : job_.members_of(comm))
    if (is_missing(member, comm, begun, op)) missing.push_back(process(member));
  return known->second = add(Mode::all_of, std::move(missing));
}

// In a large communicator, all receivers share one node, which includes themselves: a process that waits for itself
// does not change what is stuck.
JobWaits::NodeId JobWaits::any_member(CommId comm, std::int32_t but) {
  constexpr std::size_t large = 512;
  bool const is_shared = job_.members_of(comm).size() > large;
  auto const [known, is_new] = any_members_.try_emplace({comm, is_shared ? anybody : but});
  if (!is_new) return known->second;
  Nodes members;
  for (std::int32_t const member : job_.members_of(comm))
    if (is_shared || member != but) members.push_back(process(member));
  return known->second = add(Mode::any_of, std::move(members));
}

JobWaits::NodeId JobWaits::those_not_at_the_end() {
  if (not_at_end_) return *not_at_end_;
  Nodes others;
  for (ProcessState const& one : job_.processes)
    if (ThreadState const* const main = one.main_thread(); main == nullptr || !is_at_end(*main))
      others.push_back(process(one.rank));
  not_at_end_ = add(Mode::all_of, std::move(others));
  return *not_at_end_;
}

// Finds the nodes that can never go on, as they wait only for each other or for finished nodes: propagates from nodes
// that can go on to those that can go on after them.
void JobWaits::find_stuck() {
  std::vector<Nodes> waiting(nodes_.size());
  std::vector<std::size_t> missing(nodes_.size());
  Nodes reached;
  auto const reach = [&](NodeId id) {
    if (!std::exchange(at(id).goes_on, true)) reached.push_back(id);
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node const& node = nodes_[i];
    bool const waits = node.mode == Mode::all_of || node.mode == Mode::any_of;
    if (node.mode == Mode::free || (waits && node.waits_for.empty())) reach(static_cast<NodeId>(i));
    if (!waits) continue;
    missing[i] = node.mode == Mode::all_of ? node.waits_for.size() : 1;
    for (NodeId const other : node.waits_for)
      waiting[static_cast<std::size_t>(other)].push_back(static_cast<NodeId>(i));
  }
  while (!reached.empty()) {
    Nodes const& next = waiting[static_cast<std::size_t>(reached.back())];
    reached.pop_back();
    for (NodeId const other : next) {
      std::size_t& still = missing[static_cast<std::size_t>(other)];
      if (still > 0 && --still == 0) reach(other);
    }
  }
}

JobWaits::Ranks JobWaits::awaited_by(Ranks const& ranks) const {
  Ranks awaited;
  std::unordered_set<NodeId> seen;
  Nodes next;
  auto const add = [&](Nodes const& nodes) {
    for (NodeId const id : nodes)
      if (seen.insert(id).second) next.push_back(id);
  };
  for (std::int32_t const rank : ranks)
    if (Node const* const call = main_call(rank)) add(call->waits_for);
  while (!next.empty()) {
    Node const& node = at(next.back());
    next.pop_back();
    if (node.rank >= 0) awaited.push_back(node.rank);
    else add(node.waits_for);
  }
  std::ranges::sort(awaited);
  return awaited;
}

bool JobWaits::is_certain(std::int32_t rank) const {
  Node const* const call = main_call(rank);
  return call != nullptr && (call->mode == Mode::all_of || (call->mode == Mode::any_of && call->waits_for.size() == 1));
}

bool JobWaits::is_stuck(std::int32_t rank) const {
  auto const found = processes_.find(rank);
  if (found == processes_.end()) return false;
  Node const& node = at(found->second);
  return !node.goes_on && node.mode != Mode::finished;
}

std::vector<JobWaits::StuckWay> JobWaits::stuck_ways() const {
  std::vector<StuckWay> ways;
  std::unordered_set<NodeId> seen;
  for (std::int32_t rank = 0; rank < job_.ranks; ++rank) {
    if (!is_stuck(rank)) continue;
    StuckWay way = way_from(processes_.at(rank), seen);
    if (way.ranks.empty()) continue;
    if (way.is_circle) std::rotate(way.ranks.begin(), std::ranges::min_element(way.ranks), way.ranks.end());
    ways.push_back(std::move(way));
  }
  return ways;
}

JobWaits::StuckWay JobWaits::way_from(NodeId one, std::unordered_set<NodeId>& seen) const {
  Nodes way;
  while (seen.insert(one).second) {
    way.push_back(one);
    Nodes const& next = at(one).waits_for;
    auto const stuck = std::ranges::find_if(next, [this](NodeId id) { return !at(id).goes_on; });
    if (stuck == next.end()) return {ranks_of(way), false};
    one = *stuck;
  }
  auto const begin = std::ranges::find(way, one);  // none: a way that is told already
  return {ranks_of({begin, way.end()}), true};
}

JobWaits::Ranks JobWaits::ranks_of(Nodes const& nodes) const {
  Ranks ranks;
  for (NodeId const id : nodes)
    if (at(id).rank >= 0) ranks.push_back(at(id).rank);
  return ranks;
}

}  // namespace mpisee_through
