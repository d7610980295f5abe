#include "counters/counters.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "sites/sites.hpp"
#include "spool/spool.hpp"

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

namespace use_so_far {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

ProcessorUse before;
std::int64_t start_ns = 0;  // CLOCK_MONOTONIC
std::atomic<bool> is_busy{false};
std::atomic<std::int64_t> next_ns{0};

std::int64_t time_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * second_ns + now.tv_nsec;
}

}  // namespace

void begin() {
  before = read_processor_use();
  read_limits(before);
  start_ns = time_ns(CLOCK_MONOTONIC);
  thread_queues::begin();
}

ProcessorUse now(bool with_limits) {
  ProcessorUse used = read_processor_use();
  if (with_limits) read_limits(used);
  used = used.since(before);
  used.queued_ns = thread_queues::longest_ns();
  if (used.queued_ns) used.queued_outside_ns = Shards::longest_queue_outside_ns();
  return used;
}

void refresh() {
  if (spool::is_open() && time_ns(CLOCK_MONOTONIC_COARSE) >= next_ns.load(std::memory_order_relaxed)) keep();
}

void keep() {
  if (!spool::is_open() || is_busy.exchange(true, std::memory_order_acquire)) return;
  int const errno_of_program = errno;
  std::int64_t const begin_ns = time_ns(CLOCK_MONOTONIC);
  ProcessorUse const used = now(false);
  spool::SpoolHead& head = spool::head();
  std::uint32_t const place = head.use_in_force ^ 1;
  head.use[place] = {.at = clock::now(),
                     .cpu_ns = used.cpu_ns,
                     .queued_ns = used.queued_ns.value_or(spool::UseSoFar::unknown),
                     .voluntary_switches = used.voluntary_switches,
                     .involuntary_switches = used.involuntary_switches,
                     .minor_faults = used.minor_faults,
                     .major_faults = used.major_faults,
                     .max_rss_bytes = used.max_rss_bytes};
  std::atomic_ref(head.use_in_force).store(place, std::memory_order_release);
  std::int64_t const end_ns = time_ns(CLOCK_MONOTONIC);
  std::int64_t const pause_ns = std::min(second_ns, (end_ns - start_ns) / 20);
  next_ns.store(end_ns + std::max(pause_ns, 500 * (end_ns - begin_ns)), std::memory_order_relaxed);
  errno = errno_of_program;
  is_busy.store(false, std::memory_order_release);
}

}  // namespace use_so_far

}  // namespace commprof
