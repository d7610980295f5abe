// The functions of commprof.h: what this process has counted so far, for the program to read while it runs, over the
// records of all threads, which go on counting meanwhile; and commands to the profiler.
//
// Reading takes no lock that a thread needs to count, and writes nothing. A call that is being counted may be included
// in part; the next reading includes it completely.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>

#include "base/compiler.hpp"
#include "base/memory.hpp"
#include "comm_naming/comm_naming.hpp"
#include "commprof/commprof.h"
#include "counters/counters.hpp"
#include "mpi/mpi.hpp"  // before the header, which does not include mpi.h in C++
#include "ops.hpp"
#include "run/run.hpp"
#include "version.hpp"

namespace commprof::readings {

namespace {

struct CallSums {
  std::uint64_t calls = 0;
  Volume bytes;
  Ticks time;

  explicit CallSums(Record const& record) : calls(record.calls), bytes(record.bytes), time(record.time) {}
  CallSums() = default;
  CallSums& operator+=(CallSums const& other) {
    calls += other.calls;
    bytes.sent += other.bytes.sent;
    bytes.received += other.bytes.received;
    time += other.time;
    return *this;
  }
  CallSums& operator-=(CallSums const& other) {
    calls -= other.calls;
    bytes.sent -= other.bytes.sent;
    bytes.received -= other.bytes.received;
    time -= other.time;
    return *this;
  }
};

struct MessageSums {
  std::uint64_t messages, bytes;

  explicit MessageSums(PeerRecord const& record) : messages(record.messages), bytes(record.bytes) {}
  MessageSums& operator-=(MessageSums const& other) {
    messages -= other.messages;
    bytes -= other.bytes;
    return *this;
  }
};

// The counts of each record of a shard at the latest commprof_reset(), so that readings can exclude them. Records never
// move and are only added, so a record is found by its place.
struct Baseline {
  PageVector<CallSums> calls;
  PageVector<MessageSums> messages;

  bool take(Shard const& shard) {
    bool fits = true;
    clear();
    shard.for_each([&](Record const& record) { fits = fits && calls.push_back(CallSums(record)); });
    shard.peers.for_each([&](PeerRecord const& record) { fits = fits && messages.push_back(MessageSums(record)); });
    return fits;
  }
  void clear() {
    calls.clear();
    messages.clear();
  }
};

std::mutex mutex;                              // guards the baselines
constinit LastingVector<Baseline*> baselines;  // by the numbers of the shards, never freed, like these

// Without memory, readings count from the beginning.
bool take_baselines() {
  bool fits = true;
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next()) {
    while (fits && baselines.size() <= shard->number) {
      void* const pages = map_pages(sizeof(Baseline));
      fits = pages != nullptr && baselines.push_back(new (pages) Baseline);
    }
    fits = fits && baselines.begin()[shard->number]->take(*shard);
  }
  if (fits) return true;
  for (Baseline* const one : baselines) one->clear();
  return false;
}

// Calls visit(record, sums) for the records of all threads. part: the member of Baseline that has their sums.
template <class Sums, class Visitor>
void for_each_since_reset(PageVector<Sums> Baseline::*part, Visitor&& visit) {
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next()) {
    Baseline const* const until = shard->number < baselines.size() ? baselines.begin()[shard->number] : nullptr;
    std::size_t place = 0;
    auto const take = [&](auto const& record) {
      Sums sums(record);
      if (until != nullptr && place < (until->*part).size()) sums -= (until->*part).begin()[place];
      ++place;
      visit(record, sums);
    };
    if constexpr (std::is_same_v<Sums, CallSums>) shard->for_each(take);
    else shard->peers.for_each(take);
  }
}

// The possible receivers of a communicator's messages: its own processes, or the remote group of an intercommunicator.
class Members {
 public:
  // False if memory is used up.
  bool fill(MPI_Comm comm, CommIndex index) {
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

  int size() const { return size_; }

  // The rank of a message's receiver in the communicator; -1 if it is not a member. It may belong to another
  // communicator that shares the record, or to another world.
  int rank_of(Peer peer) const {
    int const rank = peer.rank();
    if (!peer.is_in_world() || is_world_) return rank < size_ ? rank : -1;
    auto const wanted = static_cast<WorldRank>(rank);
    Member const* const place =
        std::lower_bound(by_world_rank_.begin(), by_world_rank_.end(), wanted,
                         [](Member member, WorldRank world_rank) { return member.world_rank < world_rank; });
    return place != by_world_rank_.end() && place->world_rank == wanted ? place->rank : -1;
  }

 private:
  struct Member {
    WorldRank world_rank;
    int rank;
  };

  int size_ = 0;
  bool is_world_ = false;
  PageVector<Member> by_world_rank_;
};

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
    for_each_since_reset(&Baseline::calls, [&](Record const& record, CallSums const& own) {
      if (record.key.comm() == index && (!wanted || record.key.op() == *wanted)) sums += own;
    });
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
  for_each_since_reset(&Baseline::messages, [&](PeerRecord const& record, MessageSums const& sums) {
    bool const is_wanted = record.key.comm() == index && record.peer.message_class() == MessageClass::p2p;
    int const rank = is_wanted && sums.messages > 0 ? members.rank_of(record.peer) : -1;
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
  return take_baselines() ? MPI_SUCCESS : MPI_ERR_NO_MEM;
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
