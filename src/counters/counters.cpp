#include "counters/counters.hpp"

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

void LeftOut::begin(std::string_view ops, std::string_view comms, OfComm of_comm) {
  ops_ = ~selection::wanted_operations(ops);
  of_comm_ = selection::is_everything<selection::Communicators>(comms) ? nullptr : of_comm;
  is_any_ = ops_.any() || of_comm_ != nullptr;
}

bool LeftOut::look_up(CommIndex comm, Op op) const {
  auto const place = static_cast<std::size_t>(op);
  return (place < ops_.size() && ops_[place]) || (of_comm_ != nullptr && of_comm_(comm));
}

}  // namespace commprof
