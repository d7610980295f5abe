#include "waiting/job_waits.hpp"

#include <algorithm>

namespace mpisee_through {

using commprof::Op;

ProcessState const* Job::process(std::int32_t rank) const {
  auto const found = std::ranges::lower_bound(processes, rank, {}, &ProcessState::rank);
  return found == processes.end() || found->rank != rank ? nullptr : &*found;
}

ThreadState const* JobWaits::main_thread(ProcessState const& process) {
  ThreadState const* main = nullptr;
  for (ThreadState const& one : process.threads) {
    bool const is_better = main == nullptr || (one.op && !main->op) ||
                           (one.op.has_value() == main->op.has_value() &&
                            (one.op ? one.seconds > main->seconds : one.seconds < main->seconds));
    if (is_better) main = &one;
  }
  return main;
}

JobWaits::JobWaits(Job const& job) : job_(job) {
  some_run_ = std::ranges::any_of(job.processes, [](ProcessState const& one) { return one.life == Life::running; });
  for (ProcessState const& process : job.processes) note_messages(process);
  for (ProcessState const& process : job.processes) take(process);
  graph_.find_stuck();
}

std::vector<NodeId> JobWaits::of(std::int32_t rank) const {
  auto const found = main_.find(rank);
  return found == main_.end() ? std::vector<NodeId>() : graph_[found->second].waits_for;
}

bool JobWaits::is_certain(std::int32_t rank) const {
  auto const found = main_.find(rank);
  if (found == main_.end()) return false;
  WaitGraph::Node const& node = graph_[found->second];
  return node.mode == Mode::all_of || (node.mode == Mode::any_of && node.waits_for.size() == 1);
}

bool JobWaits::is_stuck(std::int32_t rank) const {
  auto const id = graph_.find(rank);
  return id && graph_.is_stuck(*id) && graph_[*id].mode != Mode::finished;
}

std::int32_t JobWaits::world_rank(CommId comm, GivenRank rank) const {
  JobCommunicator const* const known = job_.communicator(comm);
  return known == nullptr ? JobCommunicator::unknown_rank : known->world_rank_of(static_cast<std::int32_t>(rank));
}

void JobWaits::note_messages(ProcessState const& process) {
  for (ThreadState const& state : process.threads) {
    if (!state.op) continue;
    OperationFacts const& facts = facts_of(*state.op);
    if (facts.sends) note_send(process, state.comm, state.dest);
    if (facts.receives) note_receive(process, state.comm, state.source);
  }
  for (PendingOperation const& one : process.pending) {
    OperationFacts const& facts = facts_of(one.op);
    if (facts.sends) note_send(process, one.comm, one.dest);
    if (one.is_receive || facts.receives) note_receive(process, one.comm, one.source);
  }
}

void JobWaits::note_send(ProcessState const& process, CommId comm, GivenRank dest) {
  std::int32_t const to = world_rank(comm, dest);
  if (to < 0) return;
  sends_.insert({comm, process.rank, to});
  sent_to_.insert({comm, to});
}

void JobWaits::note_receive(ProcessState const& process, CommId comm, GivenRank source) {
  std::int32_t const from = world_rank(comm, source);
  if (from >= 0) receives_.insert({comm, from, process.rank});
  else if (source == GivenRank::any || source == GivenRank::not_known) received_by_.insert({comm, process.rank});
}

NodeId JobWaits::add(Mode mode, std::vector<NodeId> waits_for) {
  NodeId const id = graph_.add(mode);
  graph_[id].waits_for = std::move(waits_for);
  return id;
}

// A process that has a thread outside MPI may still do anything.
void JobWaits::take(ProcessState const& process) {
  NodeId const id = graph_.process(process.rank);
  bool is_free = process.threads.empty() || process.is_moving, is_finished = false;
  std::vector<NodeId> threads;
  ThreadState const* const main = main_thread(process);
  for (ThreadState const& state : process.threads) {
    if (!state.op) {
      is_free = true;
      continue;
    }
    threads.push_back(add_thread(process, state));
    if (&state == main) main_.emplace(process.rank, threads.back());
    if (facts_of(*state.op).needs == Needs::end_of_all) is_finished = true;
  }
  if (process.life == Life::ended && some_run_) {
    is_finished = true;
    threads.clear();
  }
  graph_[id].mode = is_finished ? Mode::finished : is_free ? Mode::free : Mode::any_of;
  graph_[id].waits_for = std::move(threads);
}

NodeId JobWaits::add_thread(ProcessState const& process, ThreadState const& state) {
  Needs const needs = facts_of(*state.op).needs;
  if (needs == Needs::messages) return for_messages(process, state);
  if (needs == Needs::requests) return for_requests(process);
  if (needs == Needs::end_of_all) return add(Mode::all_of, {those_not_at_the_end()});
  if (needs == Needs::nobody) return add(Mode::free, {});
  return for_members(process, state, needs);
}

JobWaits::Target JobWaits::for_send(ProcessState const& process, CommId comm, GivenRank dest) {
  std::int32_t const to = world_rank(comm, dest);
  if (to < 0) return {.node = {}, .is_met = true};
  return {graph_.process(to), is_received(comm, process.rank, to)};
}

JobWaits::Target JobWaits::for_receive(ProcessState const& process, CommId comm, GivenRank source) {
  if (source == GivenRank::any) return {anybody(comm, process.rank), is_sent_by_any(comm, process.rank)};
  std::int32_t const from = world_rank(comm, source);
  if (from < 0) return {.node = {}, .is_met = true};
  return {graph_.process(from), is_sent(comm, from, process.rank)};
}

JobWaits::Targets JobWaits::targets_of(std::initializer_list<Target> messages) {
  Targets targets;
  for (Target const& target : messages) {
    if (!target.node) continue;
    targets.all.push_back(*target.node);
    if (!target.is_met) targets.unmet.push_back(*target.node);
  }
  return targets;
}

// The call waits until all of its messages have been transferred.
NodeId JobWaits::for_messages(ProcessState const& process, ThreadState const& state) {
  OperationFacts const& facts = facts_of(*state.op);
  auto [unmet, all] = targets_of({facts.has_dest ? for_send(process, state.comm, state.dest) : Target{},
                                  facts.has_source ? for_receive(process, state.comm, state.source) : Target{}});
  return unmet.empty() ? add(Mode::free, std::move(all)) : add(Mode::all_of, std::move(unmet));
}

// It is unknown which of the process's requests the call waits for. So it surely waits only if none of the process's
// requests can complete.
NodeId JobWaits::for_requests(ProcessState const& process) {
  std::vector<NodeId> all;
  bool is_free = process.pending.empty();
  for (PendingOperation const& one : process.pending) {
    OperationFacts const& facts = facts_of(one.op);
    auto [unmet, whom] =
        targets_of({facts.sends ? for_send(process, one.comm, one.dest) : Target{},
                    one.is_receive || facts.receives ? for_receive(process, one.comm, one.source) : Target{}});
    if (unmet.empty()) is_free = true;
    else if (unmet.size() == 1) whom = std::move(unmet);
    else whom = {add(Mode::all_of, std::move(unmet))};  // completes with both of its messages
    for (NodeId const node : whom)
      if (std::ranges::find(all, node) == all.end()) all.push_back(node);
  }
  return add(is_free ? Mode::free : Mode::any_of, std::move(all));
}

NodeId JobWaits::for_members(ProcessState const& process, ThreadState const& state, Needs needs) {
  NodeId const missing = those_missing(state.comm, process.collectives_on(state.comm), *state.op);
  if (needs == Needs::everybody) return add(Mode::all_of, {missing});
  std::int32_t const root = world_rank(state.comm, state.root);
  bool const is_root = root == process.rank;
  if (needs == Needs::data_of_all && is_root) return add(Mode::all_of, {missing});
  if (needs == Needs::data_of_root && root >= 0 && !is_root &&
      is_missing(root, state.comm, process.collectives_on(state.comm), *state.op))
    return add(Mode::all_of, {graph_.process(root)});
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
    return count <= begun;
  }
  return count <= begun;
}

NodeId JobWaits::those_missing(CommId comm, std::uint64_t begun, Op op) {
  if (auto const known = missing_.find({comm, begun, op}); known != missing_.end()) return known->second;
  JobCommunicator const* const communicator = job_.communicator(comm);
  std::vector<NodeId> missing;
  if (communicator != nullptr && communicator->is_plain)
    for (std::int32_t const member : communicator->members)
      if (is_missing(member, comm, begun, op)) missing.push_back(graph_.process(member));
  NodeId const node = add(Mode::all_of, std::move(missing));
  missing_.emplace(std::tuple(comm, begun, op), node);
  return node;
}

// In a large communicator, all receivers share one node, which includes themselves: a process that waits for itself
// does not change what is stuck.
NodeId JobWaits::anybody(CommId comm, std::int32_t but) {
  constexpr std::size_t large = 512;
  JobCommunicator const* const communicator = job_.communicator(comm);
  std::vector<NodeId> members;
  bool const is_known = communicator != nullptr && communicator->is_plain;
  bool const is_shared = is_known && communicator->members.size() > large;
  if (auto const known = anybody_.find(comm); is_shared && known != anybody_.end()) return known->second;
  if (is_known)
    for (std::int32_t const member : communicator->members)
      if (is_shared || member != but) members.push_back(graph_.process(member));
  NodeId const node = add(Mode::any_of, std::move(members));
  if (is_shared) anybody_.emplace(comm, node);
  return node;
}

NodeId JobWaits::those_not_at_the_end() {
  if (not_at_end_) return *not_at_end_;
  std::vector<NodeId> others;
  for (ProcessState const& process : job_.processes) {
    ThreadState const* const main = main_thread(process);
    bool const is_at_end = main != nullptr && main->op && facts_of(*main->op).needs == Needs::end_of_all;
    if (!is_at_end) others.push_back(graph_.process(process.rank));
  }
  not_at_end_ = add(Mode::all_of, std::move(others));
  return *not_at_end_;
}

}  // namespace mpisee_through
