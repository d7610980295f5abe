// The functions of commprof.h: what this process has counted so far, for the program to read while it runs, over the
// records of all threads, which go on counting meanwhile; and commands to the profiler.
//
// Reading takes no lock that a thread needs to count, and writes nothing. A call that is being counted may be included
// in part; the next reading includes it completely.
#include <algorithm>
#include <cstring>
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

// The possible receivers of a communicator's messages: its own processes, or the remote group of an intercommunicator.
class Members {
 public:
  // False if memory is used up.
  bool fill(MPI_Comm comm, CommIndex index) {
    is_world_ = index == CommIndex::world;
    bool const is_inter = told_by<PMPI_Comm_test_inter>(comm) != 0;
    size_ = is_inter ? told_by<PMPI_Comm_remote_size>(comm) : told_by<PMPI_Comm_size>(comm);
    if (is_world_) return true;
    if (!world_ranks_.resize(static_cast<std::size_t>(size_))) return false;
    communicators::world_ranks(comm, is_inter, size_, world_ranks_.begin());
    return true;
  }

  int size() const { return size_; }

  // The rank of a message's receiver in the communicator; -1 if it is not a member. It may belong to another
  // communicator that shares the record, or to another world.
  int rank_of(Peer peer) const {
    int const rank = peer.rank();
    if (!peer.is_in_world() || is_world_ || rank < 0) return rank < size_ ? rank : -1;
    WorldRank const* const place = std::find(world_ranks_.begin(), world_ranks_.end(), static_cast<WorldRank>(rank));
    return place == world_ranks_.end() ? -1 : static_cast<int>(place - world_ranks_.begin());
  }

 private:
  int size_ = 0;
  bool is_world_ = false;
  PageVector<WorldRank> world_ranks_;
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
  Record sums{};
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next())
    shard->for_each([&](Record const& record) {
      if (record.key.comm() == index && (!wanted || record.key.op() == *wanted)) sums.merge(record);
    });
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
  auto const add = [&](PeerRecord const& record) {
    bool const is_wanted = record.key.comm() == index && record.peer.message_class() == MessageClass::p2p;
    int const rank = is_wanted ? members.rank_of(record.peer) : -1;
    if (rank < 0) return;
    if (messages != nullptr) messages[rank] += record.messages;
    if (bytes != nullptr) bytes[rank] += record.bytes;
  };
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next()) shard->peers.for_each(add);
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

// By these, a program controls the profiler.
COMMPROF_EXPORT void(commprof_region_begin)(char const* name) { control::begin_region(name); }
COMMPROF_EXPORT void(commprof_region_end)(char const* name) { control::end_region(name); }
COMMPROF_EXPORT int(commprof_flush)(char const* path) { return run::flush(path); }
COMMPROF_EXPORT void(commprof_pause)() { control::obey(control::Wish::pause, nullptr); }
COMMPROF_EXPORT void(commprof_resume)() { control::obey(control::Wish::resume, nullptr); }
COMMPROF_EXPORT char const* commprof_version() { return version; }
}
