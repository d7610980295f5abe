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
  switch (row.waits_for) {
    case calls::WaitsFor::root:
      return Needs::data_of_root;
    case calls::WaitsFor::all_root:
      return Needs::data_of_all;
    case calls::WaitsFor::all:
      return Needs::everybody;
    case calls::WaitsFor::nobody:
    case calls::WaitsFor::some:
      break;
  }
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

}  // namespace mpisee_through
