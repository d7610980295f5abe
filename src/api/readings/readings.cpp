// Implements the functions of commprof.h that read counts.
#include <cstring>
#include <mutex>
#include <string_view>

#include "api/readings/members.hpp"
#include "api/readings/sums.hpp"
#include "base/export.hpp"
#include "commprof/commprof.h"
#include "counters/counters.hpp"
#include "mpi/mpi.hpp"  // before the header, which does not include mpi.h in C++
#include "ops.hpp"

namespace commprof::readings {

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
}
