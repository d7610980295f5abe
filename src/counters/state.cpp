#include "counters/state.hpp"

#include "sites/sites.hpp"

namespace commprof {

[[gnu::cold, gnu::noinline]] std::uint32_t State::base_of_call_anew() const {
  std::uint32_t const base = base_of_details();
  if (base == paused) return paused;
  std::uint64_t const place = place_of(this_thread.site, base);
  ScopeIndex const around = RecordKey::of(CommIndex{}, base).scope();
  std::uint32_t const with_site =
      RecordKey::detail_of(sites::table.scope_of(around, this_thread.site), Op{}, SizeBin{});
  if (Shard* const shard = Shards::mine()) shard->scopes.at(place).set(place, with_site);
  return with_site;
}

}  // namespace commprof
