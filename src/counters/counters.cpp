#include "counters/counters.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <mutex>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/dropped.hpp"
#include "base/process.hpp"
#include "ops.hpp"
#include "sites/sites.hpp"
#include "spool/spool.hpp"

namespace commprof {

constinit PeerRecord no_peer{.peer = Peer::in_comm(INT32_MIN, MessageClass::p2p)};
constinit PeerRecord unwanted_peer{.peer = Peer::in_comm(INT32_MIN, MessageClass::p2p),
                                   .world_rank = WorldRank::unwanted};

PeerRecord* PeerTable::find(RecordKey key, Peer peer) {
  std::uint64_t const of = hash(key, peer);
  PeerRecord** const known =
      index_.find(of | 1, [=](PeerRecord const* record) { return record->key == key && record->peer == peer; });
  return known == nullptr ? nullptr : recent_[of >> (64 - recent_bits)] = *known;
}

PeerRecord* PeerTable::insert(RecordKey key, Peer peer, WorldRank world_rank) {
  std::uint64_t const of = hash(key, peer);
  PeerRecord** const place = index_.add(of | 1);
  if (place == nullptr) return nullptr;
  PeerRecord* const record = records_.append([=](PeerRecord& made) {
    made.key = key;
    made.peer = peer;
    made.world_rank = world_rank;
  });
  if (record == nullptr) {
    index_.erase(*place);
    return nullptr;
  }
  *place = record;
  return recent_[of >> (64 - recent_bits)] = record;
}

// Leaves one number that is not an operation's, for RecordKey::of_nothing.
static_assert(static_cast<std::size_t>(Op::count_) < std::size_t{1} << (RecordKey::op_bits - 1));

namespace {
std::mutex shards_mutex;
Shard* all_shards = nullptr;
Shard* left_shards = nullptr;  // of these, those whose threads have ended
std::uint32_t shard_count = 0;
std::uint64_t thread_count = 0;
// By the numbers of the shards.
constinit Arena<CurrentCall, 5, 20> current_calls{spool::Part{spool::Kind::current_calls}};
pthread_key_t thread_exit_key;
bool has_thread_exit_key = false;
}  // namespace

constinit Record no_record{
    .key = {UINT64_MAX}, .calls = 0, .bytes = {}, .time = {}, .shortest = {}, .longest = {}, .last = {}};

constinit thread_local ThreadState this_thread;

char const callers_wanted = 0;
char const within_callback = 0;

[[gnu::cold, gnu::noinline]] Record* Shard::drop_record() {
  dropped::count(Dropped::records);
  return nullptr;
}

[[gnu::hot]] Record* Shard::search_or_insert(RecordKey key) {
  if (static_cast<std::uint32_t>(key.packed) == RecordKey::of_nothing) return nullptr;
  Record* const* const known = index_.find(key);
  if (known == nullptr) [[unlikely]]
    return insert(key);
  return recent_[static_cast<std::size_t>(key.op())] = *known;
}

// Out of line, so that a search that finds saves no registers.
[[gnu::noinline]] Record* Shard::insert(RecordKey key) {
  Record** const place = index_.add(key);
  if (place == nullptr) return drop_record();
  *place = records_.append([key](Record& record) { record.key = key; });
  if (*place != nullptr) return recent_[static_cast<std::size_t>(key.op())] = *place;
  index_.erase(*place);
  return drop_record();
}

Shard* Shards::claim() {
  std::lock_guard const lock(shards_mutex);
  Shard* shard = left_shards;
  if (shard != nullptr) {
    left_shards = shard->next_left_;
  } else {
    void* const pages = map_pages(sizeof(Shard));
    if (pages == nullptr) {
      dropped::count(Dropped::records);
      return nullptr;
    }
    shard = new (pages) Shard;
    shard->records_.keep_as({spool::Kind::records, shard_count});
    shard->peers.keep_as({spool::Kind::peers, shard_count});
    if (CurrentCall* const shown = current_calls.append()) shard->current_call = shown;
    shard->number = shard_count++;
    shard->next_ = all_shards;
    all_shards = shard;
  }
  spool::head().threads = ++thread_count;
  if (!has_thread_exit_key) has_thread_exit_key = pthread_key_create(&thread_exit_key, leave) == 0;
  if (has_thread_exit_key) pthread_setspecific(thread_exit_key, shard);
  this_thread.requests = shard->requests;
  this_thread.current_call = shard->current_call;
  shard->thread = static_cast<int>(syscall(SYS_gettid));
  shard->current_call->stop_polling();
  if (shard->current_call != &call_not_shown) shard->current_call->look_for_queues();
  if (state.options.stack > 0) this_thread.binding_site = &callers_wanted;
  return this_thread.shard = shard;
}

void Shards::leave(void* left) {
  auto* const shard = static_cast<Shard*>(left);
  std::lock_guard const lock(shards_mutex);
  shard->next_left_ = std::exchange(left_shards, shard);
  this_thread.shard = nullptr;
  this_thread.requests = nullptr;
  this_thread.current_call = &call_not_shown;
}

// Processors are given away for milliseconds, so shorter times are not looked at. Where asking, at 7 us, costs more
// than a thousandth of the time, only longer ones are.
void CurrentCall::read_queue(Ticks outside_for) {
  QueueTime& latest = this_thread.queue;
  Shard* const shard = this_thread.shard;
  if (shard == nullptr) return;
  std::optional<std::uint64_t> const now_ns = thread_queues::time_ns(shard->thread);
  if (!now_ns) return void(set(long_enough.count, UINT64_MAX));
  std::uint64_t const more_ns = *now_ns - std::min(*now_ns, std::exchange(latest.ns, *now_ns));
  if (outside_for.count > 0) {
    // A region has what it adds to the longest sum of a thread.
    static std::atomic<std::uint64_t> longest_ns{0};
    std::uint64_t const outside_ns = std::min(more_ns, clock::calibrate().to_ns(outside_for));
    std::uint64_t const sum_ns = shard->queued_outside_ns.fetch_add(outside_ns) + outside_ns;
    std::uint64_t before_ns = longest_ns;
    while (sum_ns > before_ns && !longest_ns.compare_exchange_weak(before_ns, sum_ns)) continue;
    if (sum_ns > before_ns && regions::table.size() > 0)
      regions::table.add_queue(sites::table.region(state.scope_of_region()), sum_ns - before_ns);
  }
  constexpr unsigned cost_bits = 14, thousandth_bits = 10;
  if (++latest.reads << (cost_bits + thousandth_bits) > (clock::now() - clock::first_reading().ticks).count)
    set(long_enough.count, 2 * get(long_enough));
}

// Threads that do not call MPI wait outside it.
std::optional<std::uint64_t> Shards::longest_queue_outside_ns() {
  std::optional<std::uint64_t> longest_ns = thread_queues::longest_ns([](int thread) {
    for (Shard const* shard = first(); shard != nullptr; shard = shard->next_)
      if (shard->thread == thread) return false;
    return true;
  });
  for (Shard const* shard = first(); shard != nullptr; shard = shard->next_)
    longest_ns = std::max(longest_ns, std::optional<std::uint64_t>(shard->queued_outside_ns));
  return longest_ns;
}

// Reading the clock costs as much as some calls, so it is not read at each poll of a process that computes.
bool CurrentCall::has_slept(Ticks before, Ticks now) {
  constexpr unsigned skips = 15, busy_part = 4;
  PollingTime& latest = this_thread.polling;
  if (latest.skipped > 0) return --latest.skipped, false;
  timespec cpu{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);  // other threads may compute for this one
  PollingTime const then = latest;
  latest = {now, clock::monotonic_ns(),
            static_cast<std::uint64_t>(cpu.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(cpu.tv_nsec)};
  Ticks const between = now - before;
  if (now - then.at > between + between) return false;  // nothing is known of the poll before
  bool const is_asleep = (latest.cpu_ns - then.cpu_ns) * busy_part <= latest.elapsed_ns - then.elapsed_ns;
  if (!is_asleep) latest.skipped = skips;
  return is_asleep;
}

Shard* Shards::first() {
  std::lock_guard const lock(shards_mutex);
  return all_shards;
}

std::uint64_t Shards::threads() {
  std::lock_guard const lock(shards_mutex);
  return thread_count;
}

// A thread takes the shard of one that ended, if there is one.
std::uint64_t Shards::threads_at_once() {
  std::lock_guard const lock(shards_mutex);
  return shard_count;
}

[[gnu::cold, gnu::noinline]] std::uint32_t State::base_anew(std::uint64_t place, std::uint32_t base) const {
  if (base == paused || this_thread.site == &within_callback) return paused;
  ScopeIndex const around = RecordKey::of(CommIndex{}, base).scope();
  std::uint32_t const with_site =
      RecordKey::detail_of(sites::table.scope_of(around, this_thread.site), Op{}, SizeBin{});
  if (Shard* const shard = Shards::mine()) shard->caches.scopes.keep(place, with_site);
  return with_site;
}

namespace use_so_far {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

ProcessorUse before;
std::int64_t start_ns = 0;  // CLOCK_MONOTONIC
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

// Another thread may write, too, and the process may be killed meanwhile: each number is that of one moment or another.
void keep() {
  if (!spool::is_open()) return;
  int const errno_of_program = errno;
  std::int64_t const begin_ns = time_ns(CLOCK_MONOTONIC);
  ProcessorUse const used = now(false);
  spool::head().use = {.at = clock::now(),
                       .cpu_ns = used.cpu_ns,
                       .queued_ns = used.queued_ns.value_or(spool::UseSoFar::unknown),
                       .voluntary_switches = used.voluntary_switches,
                       .involuntary_switches = used.involuntary_switches,
                       .max_rss_bytes = used.max_rss_bytes};
  std::int64_t const end_ns = time_ns(CLOCK_MONOTONIC);
  std::int64_t const pause_ns = std::min(second_ns, (end_ns - start_ns) / 20);
  next_ns.store(end_ns + std::max(pause_ns, 500 * (end_ns - begin_ns)), std::memory_order_relaxed);
  errno = errno_of_program;
}

}  // namespace use_so_far

}  // namespace commprof
