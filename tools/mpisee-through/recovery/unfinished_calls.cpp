#include <algorithm>

#include "recovery/look.hpp"

namespace mpisee_through {

using namespace commprof;

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

namespace {

SiteIndex site_of(Sites& sites, CurrentCall const& call, CodePlace const& place) {
  if (!place.is_known()) return SiteIndex::none;
  if (Sites::is_site(call.site)) return Sites::site_at(call.site);
  std::uint32_t module = 0;
  while (module < sites.modules() && (sites.path(module) != place.module || sites.build_id(module) != place.build_id))
    ++module;
  if (module == sites.modules()) sites.restore_module(place.module, place.build_id, "");
  for (std::size_t i = 1; i < sites.size(); ++i) {
    Sites::Site const& known = sites[static_cast<SiteIndex>(i)];
    if (known.module == module && known.offset == place.offset && known.caller == SiteIndex::none)
      return static_cast<SiteIndex>(i);
  }
  return sites.restore({module, SiteIndex::none, place.offset}) ? static_cast<SiteIndex>(sites.size() - 1)
                                                                : SiteIndex::none;
}

ScopeIndex scope_of(Sites& sites, RegionIndex region, SiteIndex site, std::size_t regions) {
  constexpr std::size_t most = std::size_t{1} << RecordKey::scope_bits;
  for (std::size_t i = 0; i < sites.scopes(); ++i) {
    auto const scope = static_cast<ScopeIndex>(i);
    if (sites.region(scope) == region && sites.site(scope) == site) return scope;
  }
  if (sites.scopes() + 1 < most) sites.restore(Sites::Scope{region, site}, regions);
  return sites.scopes() + 1 < most ? static_cast<ScopeIndex>(sites.scopes() - 1) : ScopeIndex::main;
}

// A call without a communicator counts on that of the process's first pending request if it completes requests.
CommIndex comm_of(SpoolFile const& file, CurrentCall const& call, Op op) {
  OperationFacts const& facts = facts_of(op);
  if (facts.has_comm) return communicator_of(file, call.comm).value_or(CommIndex::self);
  auto const pending = std::ranges::find_if(file.requests, &PendingRequest::is_counted);
  bool const is_known = facts.needs == Needs::requests && pending != file.requests.end();
  return is_known ? pending->key.comm() : CommIndex::self;
}

}  // namespace

Ticks count_unfinished_calls(SpoolFile& file, ProcessState const& process) {
  Ticks const end{process.end};
  Ticks sum;
  if (end > file.end) {
    file.regions.stop(file.region, end - file.end);
    file.end = end;
  }
  auto state = process.threads.begin();
  for (CurrentCall const& call : file.current_calls) {
    if (call.since.count == 0 || state == process.threads.end()) continue;
    CodePlace const& place = state->place;
    std::optional<Op> const op = (state++)->op;
    if (!op || call.op != static_cast<std::uint32_t>(*op) + 1) continue;
    Ticks const time = end - std::min(end, call.since);
    ScopeIndex const scope = scope_of(file.sites, file.region, site_of(file.sites, call, place), file.regions.size());
    file.records.push_back({.key = RecordKey::of(comm_of(file, call, *op), scope, *op, SizeBin{}).unfinished(),
                            .calls = 1,
                            .bytes = {},
                            .time = time,
                            .shortest = time,
                            .longest = time,
                            .last = end});
    sum += time;
  }
  return sum;
}

}  // namespace mpisee_through
