#include "counters/state.hpp"

#include "sites/sites.hpp"

namespace commprof {

[[gnu::cold, gnu::noinline]] std::uint32_t State::base_anew(std::uint64_t place, std::uint32_t base) const {
  if (base == paused || this_thread.site == &within_callback) return paused;
  ScopeIndex const around = RecordKey::of(CommIndex{}, base).scope();
  std::uint32_t const with_site =
      RecordKey::detail_of(sites::table.scope_of(around, this_thread.site), Op{}, SizeBin{});
  if (PlaceCaches* const caches = Shards::caches()) caches->scopes.keep(place, with_site);
  return with_site;
}

}  // namespace commprof
