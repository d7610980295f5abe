#include "waiting/operation_needs.hpp"

#include <algorithm>
#include <string_view>

#include "calls/by_operation.hpp"

namespace mpisee_through {
namespace {

using namespace commprof;
using calls::Row;

bool has(Row const& row, std::string_view wanted) {
  for (std::string_view rest = row.parameters; !rest.empty();) {
    std::size_t const end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == wanted) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

// Excludes MPI_Comm_create_group, which only the members of the group call.
bool is_ordered(Row const& row) {
  if (row.on != calls::On::on_comm) return false;
  if (is_collective(row)) return true;
  if (row.kind == calls::Kind::creation) return row.name != "Comm_create_group";
  return row.kind == calls::Kind::window_creation || row.kind == calls::Kind::file_opening;
}

Needs needs_of_collective(Row const& row) {
  if (has(row, "request") || row.kind == calls::Kind::persistent) return Needs::nobody;
  switch (row.waits_for) {
    case calls::WaitsFor::root:
      return Needs::data_of_root;
    case calls::WaitsFor::all_root:
      return Needs::data_of_all;
    case calls::WaitsFor::all:
      return Needs::everybody;
    case calls::WaitsFor::nobody:
      break;
  }
  return is_collective(row) || needs_outsiders(row) ? Needs::some : Needs::everybody;
}

// Excludes buffered sends, which wait for nobody.
bool is_blocking_message(Row const& row) {
  bool const sends = row.kind != calls::Kind::persistent && has(row, "dest") && !has(row, "request");
  return row.family == calls::Family::point_to_point && row.name != "Bsend" && (sends || waits_for_messages(row));
}

Needs needs_of(Row const& row) {
  if (row.name == "Finalize") return Needs::end_of_all;
  if (is_ordered(row)) return needs_of_collective(row);
  if (is_blocking_message(row)) return Needs::messages;
  return row.family == calls::Family::completion && waits_for_messages(row) ? Needs::requests : Needs::nobody;
}

OperationFacts read_facts(Row const& row) {
  OperationFacts facts;
  facts.needs = needs_of(row);
  facts.has_comm = has(row, "comm") && row.kind != calls::Kind::release;
  facts.has_dest = has(row, "dest") || has(row, "target_rank");
  facts.has_source = has(row, "source");
  facts.has_root = has(row, "root");
  bool const is_message = row.family == calls::Family::point_to_point;
  facts.sends = is_message && has(row, "dest");
  facts.receives = is_message && has(row, "source") && (has(row, "buf") || has(row, "recvbuf"));
  facts.is_ordered = is_ordered(row);
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

}  // namespace mpisee_through
