#include "waiting/job_waits.hpp"

#include <algorithm>

namespace mpisee_through {

using commprof::Op;

NodeId WaitGraph::process(std::int32_t rank) {
  auto const [place, is_new] = processes_.try_emplace(rank, static_cast<NodeId>(nodes_.size()));
  if (is_new) nodes_.push_back({.mode = Mode::free, .rank = rank, .waits_for = {}});
  return place->second;
}

NodeId WaitGraph::add(Mode mode) {
  nodes_.push_back({.mode = mode, .rank = -1, .waits_for = {}});
  return static_cast<NodeId>(nodes_.size() - 1);
}

// Propagates from nodes that can go on to nodes that can go on after them.
void WaitGraph::find_stuck() {
  std::vector<std::vector<NodeId>> waiting(nodes_.size());
  std::vector<std::size_t> missing(nodes_.size());
  std::vector<NodeId> reached;
  goes_on_.assign(nodes_.size(), 0);
  auto const reach = [&](std::size_t index) {
    if (goes_on_[index] != 0) return;
    goes_on_[index] = 1;
    reached.push_back(static_cast<NodeId>(index));
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node const& node = nodes_[i];
    bool const waits = node.mode == Mode::all_of || node.mode == Mode::any_of;
    if (node.mode == Mode::free || (waits && node.waits_for.empty())) reach(i);
    if (!waits) continue;
    missing[i] = node.mode == Mode::all_of ? node.waits_for.size() : 1;
    for (NodeId const other : node.waits_for)
      waiting[static_cast<std::size_t>(other)].push_back(static_cast<NodeId>(i));
  }
  while (!reached.empty()) {
    NodeId const one = reached.back();
    reached.pop_back();
    for (NodeId const other : waiting[static_cast<std::size_t>(one)]) {
      auto const index = static_cast<std::size_t>(other);
      if (missing[index] > 0 && --missing[index] == 0) reach(index);
    }
  }
}

std::vector<std::int32_t> WaitGraph::processes_behind(std::vector<NodeId> const& first) const {
  std::vector<std::int32_t> ranks;
  std::unordered_set<NodeId> seen;
  std::vector<NodeId> next;
  auto const read_first_page = [&](std::vector<NodeId> const& nodes) {
    for (NodeId const id : nodes)
      if (seen.insert(id).second) next.push_back(id);
  };
  read_first_page(first);
  while (!next.empty()) {
    Node const& node = (*this)[next.back()];
    next.pop_back();
    if (node.rank >= 0) ranks.push_back(node.rank);
    else read_first_page(node.waits_for);
  }
  std::ranges::sort(ranks);
  return ranks;
}

WaitGraph::StuckWay WaitGraph::way_from(NodeId one, std::unordered_set<NodeId>& seen) const {
  std::vector<NodeId> way;
  std::unordered_set<NodeId> on_way;
  while (on_way.insert(one).second) {
    if (!seen.insert(one).second) return {};  // already reported
    way.push_back(one);
    std::vector<NodeId> const& next = (*this)[one].waits_for;
    auto const stuck = std::ranges::find_if(next, [this](NodeId id) { return is_stuck(id); });
    if (stuck == next.end()) return {ranks_of(way), false};
    one = *stuck;
  }
  return {shortest_circle(one), true};
}

std::vector<std::int32_t> WaitGraph::shortest_circle(NodeId from) const {
  std::unordered_map<NodeId, NodeId> reached_from;
  std::vector<NodeId> wave{from};
  for (std::size_t i = 0; i < wave.size(); ++i) {
    for (NodeId const other : (*this)[wave[i]].waits_for) {
      if (!is_stuck(other)) continue;
      if (other == from) {
        std::vector<NodeId> circle{wave[i]};
        while (circle.back() != from) circle.push_back(reached_from.at(circle.back()));
        std::ranges::reverse(circle);
        return ranks_of(circle);
      }
      if (reached_from.emplace(other, wave[i]).second) wave.push_back(other);
    }
  }
  return {};
}

std::vector<std::int32_t> WaitGraph::ranks_of(std::vector<NodeId> const& nodes) const {
  std::vector<std::int32_t> ranks;
  for (NodeId const id : nodes)
    if ((*this)[id].rank >= 0) ranks.push_back((*this)[id].rank);
  return ranks;
}

std::vector<WaitGraph::StuckWay> WaitGraph::stuck_ways() const {
  std::vector<StuckWay> ways;
  std::unordered_set<NodeId> seen;
  std::vector<std::int32_t> ranks;
  for (auto const& [rank, id] : processes_)
    if (is_stuck(id) && (*this)[id].mode != Mode::finished) ranks.push_back(rank);
  std::ranges::sort(ranks);
  for (std::int32_t const rank : ranks) {
    StuckWay way = way_from(processes_.at(rank), seen);
    if (way.is_circle) std::rotate(way.ranks.begin(), std::ranges::min_element(way.ranks), way.ranks.end());
    if (!way.ranks.empty()) ways.push_back(std::move(way));
  }
  return ways;
}

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
