#include "api/readings/readings.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <string_view>

#include "base/compiler.hpp"
#include "commprof/commprof.h"
#include "counters/counters.hpp"
#include "mpi/mpi.hpp"  // before the header, which does not include mpi.h in C++
#include "ops.hpp"
#include "run/run.hpp"
#include "version.hpp"

namespace commprof::readings {

namespace {

CallSums sums_of(Record const& record) { return {record.calls, record.bytes, record.time}; }
MessageSums sums_of(PeerRecord const& record) { return {record.messages, record.bytes}; }

template <class Sums>
void leave_out(Sums& sums, PageVector<Sums> const& until, std::size_t place) {
  if (place < until.size()) sums -= until.begin()[place];
}

}  // namespace

CallSums& CallSums::operator+=(CallSums const& other) {
  calls += other.calls;
  bytes.sent += other.bytes.sent;
  bytes.received += other.bytes.received;
  time += other.time;
  return *this;
}

CallSums& CallSums::operator-=(CallSums const& other) {
  calls -= other.calls;
  bytes.sent -= other.bytes.sent;
  bytes.received -= other.bytes.received;
  time -= other.time;
  return *this;
}

MessageSums& MessageSums::operator+=(MessageSums const& other) {
  messages += other.messages;
  bytes += other.bytes;
  return *this;
}

MessageSums& MessageSums::operator-=(MessageSums const& other) {
  messages -= other.messages;
  bytes -= other.bytes;
  return *this;
}

struct Baseline::OfShard {
  PageVector<CallSums> calls;
  PageVector<MessageSums> messages;

  bool take(Shard const& shard) {
    bool fits = true;
    calls.clear();
    messages.clear();
    shard.for_each([&](Record const& record) { fits = fits && calls.push_back(sums_of(record)); });
    shard.peers.for_each([&](PeerRecord const& record) { fits = fits && messages.push_back(sums_of(record)); });
    return fits;
  }
};

Baseline::OfShard* Baseline::of(Shard const& shard) const {
  return shard.number < by_number_.size() ? by_number_.begin()[shard.number] : nullptr;
}

bool Baseline::take() {
  bool fits = true;
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next()) {
    while (fits && by_number_.size() <= shard->number) {
      void* const pages = map_pages(sizeof(OfShard));
      fits = pages != nullptr && by_number_.push_back(new (pages) OfShard);
    }
    fits = fits && of(*shard)->take(*shard);
  }
  if (fits) return true;
  for (OfShard* own : by_number_) {
    own->calls.clear();
    own->messages.clear();
  }
  return false;
}

CallSums calls_on(CommIndex comm, std::optional<Op> op, Baseline const* baseline) {
  CallSums sums;
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next()) {
    auto const* const until = baseline == nullptr ? nullptr : baseline->of(*shard);
    std::size_t place = 0;
    shard->for_each([&](Record const& record) {
      CallSums own = sums_of(record);
      if (until != nullptr) leave_out(own, until->calls, place++);
      if (record.key.comm() == comm && (!op || record.key.op() == *op)) sums += own;
    });
  }
  return sums;
}

void visit_messages(CommIndex comm, Baseline const* baseline, VisitPeer visit, void* context) {
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next()) {
    auto const* const until = baseline == nullptr ? nullptr : baseline->of(*shard);
    std::size_t place = 0;
    shard->peers.for_each([&](PeerRecord const& record) {
      MessageSums own = sums_of(record);
      if (until != nullptr) leave_out(own, until->messages, place++);
      bool const is_wanted = record.key.comm() == comm && record.peer.message_class() == MessageClass::p2p;
      if (is_wanted && own.messages > 0) visit(context, record.peer, own);
    });
  }
}

bool Members::fill(MPI_Comm comm, CommIndex index) {
  is_world_ = index == CommIndex::world;
  bool const is_inter = told_by<PMPI_Comm_test_inter>(comm) != 0;
  size_ = is_inter ? told_by<PMPI_Comm_remote_size>(comm) : told_by<PMPI_Comm_size>(comm);
  if (is_world_) return true;
  PageVector<WorldRank> world_ranks;
  bool fits = world_ranks.resize(static_cast<std::size_t>(size_));
  if (fits) communicators::world_ranks(comm, is_inter, size_, world_ranks.begin());
  for (int rank = 0; fits && rank < size_; ++rank)
    if (WorldRank const in_world = world_ranks.begin()[rank]; in_world != WorldRank::elsewhere)
      fits = by_world_rank_.push_back({in_world, rank});
  std::sort(by_world_rank_.begin(), by_world_rank_.end(),
            [](Member a, Member b) { return a.world_rank < b.world_rank; });
  return fits;
}

int Members::rank_of(Peer peer) const {
  int const rank = peer.rank();
  if (!peer.is_in_world() || is_world_) return rank < size_ ? rank : -1;
  auto const wanted = static_cast<WorldRank>(rank);
  Member const* const place =
      std::lower_bound(by_world_rank_.begin(), by_world_rank_.end(), wanted,
                       [](Member member, WorldRank world_rank) { return member.world_rank < world_rank; });
  return place != by_world_rank_.end() && place->world_rank == wanted ? place->rank : -1;
}

// Implements the functions of commprof.h that read counts.

namespace {

Baseline baseline;  // set by commprof_reset()
std::mutex mutex;   // guards the baseline

// The number of the operation with this name; op_count if there is none.
constexpr auto op_count = static_cast<std::size_t>(Op::count_);
std::size_t find_op(std::string_view name) {
  std::size_t index = 0;
  while (index < op_count && op_name(static_cast<Op>(index)) != name) ++index;
  return index;
}

double seconds(Ticks time) { return static_cast<double>(clock::calibrate().to_ns(time)) * 1e-9; }

int read(MPI_Comm comm, char const* op, commprof_numbers* numbers, std::size_t size) {
  if (!state.is_tracking()) return MPI_ERR_UNSUPPORTED_OPERATION;
  if (numbers == nullptr) return MPI_ERR_ARG;
  std::optional<Op> wanted;
  if (op != nullptr) {
    std::size_t const index = find_op(op);
    if (index == op_count) return MPI_ERR_ARG;
    wanted = static_cast<Op>(index);
  }
  CommIndex const index = communicators::of_any(comm);
  if (index == CommIndex::unknown) return MPI_ERR_COMM;
  CallSums sums;
  {
    std::lock_guard const lock(mutex);
    sums = calls_on(index, wanted, &baseline);
  }
  commprof_numbers const found{sums.calls, sums.bytes.sent, sums.bytes.received, seconds(sums.time)};
  std::size_t const known = size < sizeof found ? size : sizeof found;
  std::memcpy(numbers, &found, known);
  std::memset(reinterpret_cast<char*>(numbers) + known, 0, size - known);
  return MPI_SUCCESS;
}

int read_peers(MPI_Comm comm, unsigned long long* messages, unsigned long long* bytes, int length) {
  if (!state.is_tracking() || !state.options.peers) return MPI_ERR_UNSUPPORTED_OPERATION;
  CommIndex const index = communicators::of_any(comm);
  if (index == CommIndex::unknown) return MPI_ERR_COMM;
  Members members;
  if (!members.fill(comm, index)) return MPI_ERR_NO_MEM;
  if (length < members.size()) return MPI_ERR_ARG;
  auto const count = static_cast<std::size_t>(members.size());
  if (messages != nullptr) std::memset(messages, 0, count * sizeof *messages);
  if (bytes != nullptr) std::memset(bytes, 0, count * sizeof *bytes);
  std::lock_guard const lock(mutex);
  for_each_peer(index, &baseline, [&](Peer peer, MessageSums const& sums) {
    int const rank = members.rank_of(peer);
    if (rank < 0) return;
    if (messages != nullptr) messages[rank] += sums.messages;
    if (bytes != nullptr) bytes[rank] += sums.bytes;
  });
  return MPI_SUCCESS;
}

int name_of(MPI_Comm comm, char* name, int size) {
  if (!state.is_tracking()) return MPI_ERR_UNSUPPORTED_OPERATION;
  CommIndex const index = communicators::of_any(comm);
  if (index == CommIndex::unknown) return MPI_ERR_COMM;
  char room[Registry::max_name];
  std::string_view const own = communicators::name(index, room);
  if (name == nullptr || size < 0 || own.size() >= static_cast<std::size_t>(size)) return MPI_ERR_ARG;
  std::memcpy(name, own.data(), own.size());
  name[own.size()] = '\0';
  return MPI_SUCCESS;
}

int reset() {
  if (!state.is_tracking()) return MPI_ERR_UNSUPPORTED_OPERATION;
  std::lock_guard const lock(mutex);
  return baseline.take() ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

}  // namespace

}  // namespace commprof::readings

using namespace commprof;

static_assert(COMMPROF_MAX_NAME == Registry::max_name + 1);

extern "C" {

// In parentheses: the header has macros of these names.
COMMPROF_EXPORT int(commprof_read)(MPI_Comm comm, char const* op, commprof_numbers* numbers, std::size_t size) {
  return readings::read(comm, op, numbers, size);
}
COMMPROF_EXPORT int(commprof_read_peers)(MPI_Comm comm, unsigned long long* messages, unsigned long long* bytes,
                                         int length) {
  return readings::read_peers(comm, messages, bytes, length);
}
COMMPROF_EXPORT int(commprof_comm_name)(MPI_Comm comm, char* name, int size) {
  return readings::name_of(comm, name, size);
}
COMMPROF_EXPORT int(commprof_reset)() { return readings::reset(); }

// By these, a program controls the profiler.
COMMPROF_EXPORT void(commprof_region_begin)(char const* name) { control::begin_region(name); }
COMMPROF_EXPORT void(commprof_region_end)(char const* name) { control::end_region(name); }
COMMPROF_EXPORT int(commprof_flush)(char const* path) { return run::flush(path); }
COMMPROF_EXPORT void(commprof_pause)() {
  if (state.is_tracking()) control::obey(control::Wish::pause, nullptr);
}
COMMPROF_EXPORT void(commprof_resume)() {
  if (state.is_tracking()) control::obey(control::Wish::resume, nullptr);
}
COMMPROF_EXPORT char const* commprof_version() { return version; }
}
