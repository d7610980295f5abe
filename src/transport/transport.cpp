#include "transport/transport.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

#include "base/memory.hpp"
#include "base/message.hpp"
#include "counters/counters.hpp"
#include "flavour/flavour.hpp"
#include "mpi_messages/mpi_messages.hpp"
#include "mpi_messages/operation_tags.hpp"
#include "transport/ucx.hpp"

namespace commprof::transport {

namespace {

// The process's own workers. A worker made later than MPI_Init is not known to other processes.
constexpr std::size_t most_workers = 64;
std::mutex workers_mutex;
WorkerId own_workers[most_workers];
std::size_t own_worker_count = 0;

// What the messages are sent for while MPI_Init ends. Their tags show how the MPI lays tags out.
using mpi_messages::HeardTags;
std::uint64_t HeardTags::*purpose = nullptr;
HeardTags heard;

void hear(ucx::Tag tag) {
  if (purpose == nullptr) return;
  if (purpose == &HeardTags::blocking) heard.not_blocking |= ~tag, tag |= heard.blocking;
  heard.*purpose = tag;
}

mpi_messages::TagLayout layout;
std::uint64_t own_context = 0;  // of the profiler's communicator; 0: not known
std::atomic<bool> has_begun{false};
thread_local std::optional<ucx::Tag> latest_probe;

// Sends messages of known kinds to all that the profiler's collectives reach, and to the next process.
void perform(MPI_Comm comm, int rank, int ranks) {
  int largest_tag = 32767, is_set = 0;
  void* value = nullptr;
  if (PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &is_set) == MPI_SUCCESS && is_set != 0)
    largest_tag = *static_cast<int const*>(value);
  int const next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  for (auto const& [sent_as, tag] : {std::pair(&HeardTags::with_tag_0, 0), std::pair(&HeardTags::with_tag_1, 1),
                                     std::pair(&HeardTags::with_largest_tag, largest_tag)}) {
    purpose = sent_as;
    PMPI_Sendrecv(nullptr, 0, MPI_BYTE, next, tag, nullptr, 0, MPI_BYTE, before, tag, comm, MPI_STATUS_IGNORE);
  }
  purpose = &HeardTags::blocking;
  PMPI_Barrier(comm);
  for (auto const& [sent_as, on] :
       {std::pair(&HeardTags::first_nonblocking, comm), std::pair(&HeardTags::second_nonblocking, comm),
        std::pair(&HeardTags::on_world, MPI_COMM_WORLD)}) {
    purpose = sent_as;
    MPI_Request request = MPI_REQUEST_NULL;
    if (PMPI_Ibarrier(on, &request) == MPI_SUCCESS) PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  purpose = nullptr;
}

// Finds out which process has which worker. Each process then knows all: 16 bytes for each worker.
void exchange_workers(MPI_Comm comm, int ranks) {
  std::uint64_t own = own_worker_count, most = 0;
  PMPI_Allreduce(&own, &most, 1, MPI_UINT64_T, MPI_MAX, comm);
  std::size_t const count = most * static_cast<std::size_t>(ranks);
  auto* const ids = static_cast<WorkerId*>(map_pages(count * sizeof(WorkerId)));
  auto* const workers = static_cast<WorkerOfRank*>(map_pages(count * sizeof(WorkerOfRank)));
  int const sent = static_cast<int>(most);
  // Without memory, this process must not leave the others alone.
  std::uint64_t has_room = ids != nullptr && workers != nullptr ? 1 : 0, have_room = 0;
  PMPI_Allreduce(&has_room, &have_room, 1, MPI_UINT64_T, MPI_MIN, comm);
  if (have_room != 0 && PMPI_Allgather(own_workers, sent, MPI_UINT64_T, ids, sent, MPI_UINT64_T, comm) == MPI_SUCCESS) {
    std::size_t known = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (ids[i] != WorkerId::none) workers[known++] = {ids[i], static_cast<WorldRank>(i / most)};
    std::sort(workers, workers + known,
              [](WorkerOfRank const& a, WorkerOfRank const& b) { return a.worker < b.worker; });
    endpoints.know(workers, known);
  }
  unmap_pages(ids, count * sizeof(WorkerId));
}

void count(Peer peer, std::uint64_t bytes) {
  auto const rank = static_cast<WorldRank>(peer.rank());
  count_message(RecordKey::of(CommIndex::world, state.detail_of(no_op, size_bin(bytes))), peer, bytes,
                [rank] { return rank; });
}

// A communicator's context, from the tag that the MPI asks its transport for when it probes there.
std::uint64_t context_of(MPI_Comm comm) {
  int is_there = 0;
  latest_probe.reset();
  PMPI_Iprobe(MPI_ANY_SOURCE, 0, comm, &is_there, MPI_STATUS_IGNORE);
  return latest_probe ? layout.context(*latest_probe) : 0;
}

// Learns what is in the tags.
void learn_tags(MPI_Comm comm, int rank) {
  bool const has_heard = heard.with_largest_tag != 0;
  mpi_messages::TagLayout::Lesson const own = mpi_messages::TagLayout::lesson_of(heard);
  mpi_messages::TagLayout::Lesson combined{};
  PMPI_Allreduce(own.data(), combined.data(), static_cast<int>(combined.size()), MPI_UINT64_T, MPI_BOR, comm);
  layout = mpi_messages::TagLayout(combined);
  int const is_deaf = has_heard ? 0 : 1;
  int deaf = 0;
  PMPI_Allreduce(&is_deaf, &deaf, 1, MPI_INT, MPI_SUM, comm);
  if (!layout.is_known()) return;
  if (rank == 0 && deaf > 0)
    say({state.options.transport ? "COMMPROF_TRANSPORT=1" : "COMMPROF_INTERNAL=1",
         ": some processes reach others without it, as within a host: these messages are not seen"});
  if (has_heard) own_context = layout.context(heard.with_tag_0);
  if (!state.options.internal) return;
  std::int64_t const last = has_heard ? layout.number(heard.on_world) : -1;
  mpi_messages::are_told_by_transport(context_of, last < 0 ? 0 : mpi_messages::operation_tag(last));
}

}  // namespace

void has_worker(WorkerId worker) {
  std::lock_guard const lock(workers_mutex);
  WorkerId* const end = own_workers + own_worker_count;
  if (own_worker_count < most_workers && std::find(own_workers, end, worker) == end)
    own_workers[own_worker_count++] = worker;
}

void sent(void const* endpoint, std::uint64_t bytes, std::uint64_t tag) {
  if (!state.is_tracking()) return;
  if (!has_begun.load(std::memory_order_relaxed)) return hear(tag);
  std::uint64_t const context = layout.context(tag);
  if (context == own_context) return;
  WorldRank const dest = endpoints.rank_of(endpoint);
  if (state.options.transport) count(Peer::in_world(dest, MessageClass::network), bytes);
  if (!state.options.internal || !layout.is_internal(tag)) return;
  mpi_messages::sent({.dest = static_cast<std::int32_t>(dest),
                      .tag = mpi_messages::operation_tag(layout.number(tag)),
                      .bytes = bytes,
                      .comm = context});
}

void probed(std::uint64_t tag) { latest_probe = tag; }

void moved(void const* endpoint, std::uint64_t bytes, bool is_source) {
  if (!state.is_tracking() || !state.options.transport || !has_begun.load(std::memory_order_relaxed)) return;
  count(Peer::in_world(endpoints.rank_of(endpoint), MessageClass::network, is_source), bytes);
}

void prepare() {
  settings.read();
  Options const& options = settings.options();
  bool const is_wanted = options.transport || options.internal;
  if (!options.enable || !options.peers || !is_wanted || front_services == nullptr) return;
  is_listening = true;
  front_services->observe_transport();
}

bool is_used() { return own_worker_count > 0; }

void begin(MPI_Comm comm, int rank, int ranks) {
  exchange_workers(comm, ranks);
  perform(comm, rank, ranks);
  learn_tags(comm, rank);
  has_begun = true;
}

void leave(int rank) {
  if (state.options.transport && rank == 0)
    say({"COMMPROF_TRANSPORT=1: what the MPI gives to its transport is not seen here, so the profile lacks it"});
  is_listening = state.options.transport = false;
}

}  // namespace commprof::transport
